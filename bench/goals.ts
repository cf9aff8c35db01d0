import type { WorkName } from './server.ts';

/** The goals of each workload, as factors of what was measured in the same run. */
export interface Goal {
  readonly bare?: number;
  readonly handWritten?: number;
  /** Of the public twin. */
  readonly open?: number;
  /** How many times the p99 alone the p99 beside writes may be. */
  readonly p99?: number;
  /** Of the same server that does not wait for the disk. */
  readonly normal?: number;
  /** Of one process. */
  readonly oneProcess?: number;
}

export const goals: Readonly<Partial<Record<WorkName, Goal>>> = {
  view: { bare: 0.6, handWritten: 1.5 },
  list: { bare: 0.45, handWritten: 4 },
  filter: { bare: 0.35 },
  include: { bare: 0.25 },
  'user-view': { open: 0.8 },
  'user-list': { open: 0.8 },
  busy: { p99: 2 },
  hostile: { p99: 2 },
  create: { bare: 0.35, handWritten: 4, normal: 1 },
  workers: { oneProcess: 1.3 },
};

/** Of the driver by itself, on PostgreSQL. */
export const postgresGoals = { view: 0.5, list: 0.5, create: 1 } as const;

/** Milliseconds from the command to the first answer. */
export const startGoal = 300;
/** How many times the time at 10,000 records. */
export const growthGoal = 1.5;
/** Resident MB under load. */
export const memoryGoal = 200;
/** Resident MB that an export adds. */
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
