import type { WorkName } from './server.ts';

/** The goals of each workload, as factors of what was measured in the same run. */
export interface Goal {
  readonly bare?: number;
  readonly handWritten?: number;
  /** Factor of the public twin. */
  readonly open?: number;
  /** Most times by which the p99 during writes may exceed the p99 without. */
  readonly p99?: number;
  /** Most milliseconds of the p99. */
  readonly longest?: number;
  /** Factor of the same server when it does not wait for the disk. */
  readonly normal?: number;
  /** Share of the speed-up by a second bare process. */
  readonly oneProcess?: number;
}

export const goals: Readonly<Partial<Record<WorkName, Goal>>> = {
  view: { bare: 0.5, handWritten: 2 },
  list: { bare: 0.45, handWritten: 10 },
  filter: { bare: 0.35 },
  include: { bare: 0.25 },
  'list-new': { bare: 0.3 },
  'filter-new': { bare: 0.15 },
  'include-new': { bare: 0.12 },
  'user-view': { open: 0.85 },
  'user-list': { open: 0.85 },
  busy: { p99: 2 },
  hostile: { p99: 2 },
  create: { bare: 0.35, handWritten: 4, normal: 0.95, longest: 15 },
  update: { longest: 15 },
  mix: { longest: 10 },
  workers: { oneProcess: 0.9 },
};

/** Of the driver by itself, on PostgreSQL. */
export const postgresGoals = { view: 0.7, list: 0.7, 'list-new': 0.7, create: 1 } as const;

/** Of SQLite that is given the same rows, 1,000 in a transaction. */
export const importGoal = 0.6;
/** Milliseconds from the command to the first response. */
export const startGoal = 250;
/** How many times the time at 10,000 records. */
export const growthGoal = 1.5;
/** MB of private memory under load; mapped files do not count. */
export const memoryGoal = 200;
/** MB that an export adds. */
export const exportGoal = 100;
/** Milliseconds that another request may wait during an export. */
export const delayGoal = 50;
/** How many times the memory of ten projects; a little more than once, as no two starts take the very same. */
export const projectsGoal = 1.05;

export interface Verdict {
  readonly text: string;
  readonly value: number;
  readonly ok: boolean;
}

export function atLeast(value: number, goal: number, of: string): Verdict {
  return { text: `≥${goal} ${of}`, value, ok: value >= goal };
}

export function atMost(value: number, goal: number, of: string): Verdict {
  return { text: `≤${goal} ${of}`, value, ok: value <= goal };
}
