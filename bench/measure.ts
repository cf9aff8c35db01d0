import { ownMemory, settle } from './processes.ts';
import type { Server, Work } from './server.ts';
import { load, median, type Round } from './wrk.ts';

/** A server with its workload. */
export interface Target {
  readonly label: string;
  readonly server: Pick<Server, 'base' | 'pid'>;
  readonly work: Work;
  /** Needs no warm-up, as it does the same in every workload. */
  readonly warm?: boolean;
  /** Was just started, so it needs a longer warm-up in any case. */
  readonly fresh?: boolean;
  /** Generates the load instead of wrk. */
  readonly run?: (seconds: number) => Promise<Round>;
  /** Ends when it has done what it put off, where that can't be told from its being idle. */
  readonly settled?: () => Promise<void>;
  /** Runs during each of its rounds; the returned function is called at the end of the round. */
  readonly beside?: (seconds: number) => Promise<() => Promise<void>>;
}

export interface Measured {
  readonly label: string;
  readonly perSecond: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Of one answer, with its head. */
  readonly bytes: number;
  readonly errors: number;
  /** MB of the server's own, the most that was seen after a round. */
  readonly memory: number | undefined;
  readonly rounds: readonly number[];
}

export interface Pace {
  readonly warmUp: boolean;
  readonly rounds: number;
  readonly seconds: number;
  /** Milliseconds that a server gets after a round for deferred work. */
  readonly rest: number;
  readonly directory: string;
}

/** Warms up each target, then measures them alternately, round by round, so that disturbances of the machine affect all. */
export async function measure(targets: readonly Target[], pace: Pace): Promise<Measured[]> {
  for (const target of targets) {
    if (target.fresh) await runRound(target, { ...pace, seconds: 3 });
    else if (pace.warmUp && !target.warm) await runRound(target, { ...pace, seconds: 1 });
  }
  const rounds = targets.map(() => [] as Round[]);
  const memory = targets.map(() => undefined as number | undefined);
  for (let round = 0; round < pace.rounds; round++) {
    for (const [index, target] of targets.entries()) {
      const end = await target.beside?.(pace.seconds);
      rounds[index]?.push(await runRound(target, pace));
      await end?.();
      const now = ownMemory(target.server.pid);
      if (now !== undefined) memory[index] = Math.max(now, memory[index] ?? 0);
    }
  }
  return targets.map(({ label }, index) => summary(label, rounds[index] ?? [], memory[index]));
}

const slow = 2_000;

/** Waits after the round: a slow server still works on requests of closed connections, and after writes on deferred work. */
async function runRound(target: Target, { seconds, directory, rest }: Pace): Promise<Round> {
  const { server, work, beside, run, settled } = target;
  const longer = { connections: 4, seconds: Math.max(seconds, 10), directory };
  const usual = { connections: connectionsOf(work), seconds, directory };
  let round = run ? await run(seconds) : await load(server, work, work.slow ? longer : usual);
  // A round without a single response was too short to measure anything.
  if (round.perSecond === 0 && !run) round = await load(server, work, longer);
  if (round.perSecond === 0) throw new Error(`${target.label} answered nothing`);
  if (work.write || beside || round.perSecond < slow) {
    await settle(server.pid, rest);
    await settled?.();
  }
  return round;
}

export function connectionsOf({ every, write }: Work): number {
  return write && (every ?? 1) === 1 ? 64 : 32;
}

function summary(label: string, rounds: readonly Round[], memory: number | undefined): Measured {
  return {
    label,
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    bytes: Math.round(median(rounds.map(({ bytes }) => bytes))),
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
    memory,
    rounds: rounds.map(({ perSecond }) => Math.round(perSecond)),
  };
}
