import type { WorkName } from './server.ts';

/** The goals of each workload, as factors of what was measured in the same run. */
export interface Goal {
  readonly bare?: number;
  readonly handWritten?: number;
  /** Of the public twin. */
  readonly open?: number;
  /** How many times the p99 alone the p99 beside writes may be. */
  readonly p99?: number;
}

export const goals: Readonly<Partial<Record<WorkName, Goal>>> = {
  view: { bare: 0.6, handWritten: 1.5 },
  list: { bare: 0.45, handWritten: 4 },
  filter: { bare: 0.35 },
  include: { bare: 0.25 },
  'user-view': { open: 0.8 },
  'user-list': { open: 0.8 },
  busy: { p99: 2 },
  create: { bare: 0.35, handWritten: 4 },
};

/** Milliseconds from the command to the first answer. */
export const startGoal = 300;
/** How many times the time at 10,000 records. */
export const growthGoal = 1.5;
/** Resident MB. */
export const memoryGoal = 200;

export interface Verdict {
  readonly text: string;
  readonly ok: boolean;
}

export function atLeast(value: number, goal: number, of: string): Verdict {
  return { text: `≥${goal} ${of}`, ok: value >= goal };
}

export function atMost(value: number, goal: number, of: string): Verdict {
  return { text: `≤${goal} ${of}`, ok: value <= goal };
}
