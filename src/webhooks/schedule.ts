import type { PauseReason, Webhook } from '../store/webhooks.ts';
import type { Outcome } from './send.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** Milliseconds to wait after each failed try. */
const pauses = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour];
/** Share of each pause by which it varies, so that changes that failed together are not retried together. */
const jitter = 0.1;
/** Most milliseconds that `Retry-After` can delay a try. */
const longestRetryAfter = 24 * hour;

export const succeeded = (outcome: Outcome) =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;

/** When to retry after this many tries; null: never. */
export function nextTry(tries: number, outcome: Outcome, now: number): number | null {
  const pause = pauses[tries - 1];
  if (pause === undefined) return null;
  const requested = outcome.kind === 'answered' ? Math.min(outcome.retryAfter ?? 0, longestRetryAfter) : 0;
  const spread = 1 + jitter * (2 * Math.random() - 1);
  return now + Math.round(Math.max(pause * spread, requested));
}

/** Whether a failed try pauses its webhook. `failures` and `failingSince` are the values before that try. */
export function pauseAfter(
  { failures, failingSince }: Pick<Webhook, 'failures' | 'failingSince'>,
  outcome: Outcome,
  now: number,
): PauseReason | null {
  if (outcome.kind === 'answered' && outcome.status === 410) return 'gone';
  const long = failingSince !== null && now - failingSince >= 24 * hour;
  return long && failures + 1 >= 20 ? 'failing' : null;
}

/** What a proxy answers for a receiver that is down, and a receiver that wants less. */
const unavailable = new Set([429, 502, 503, 504]);

/** Whether a try, by the status of its answer if there was one, says that the receiver is down, and not that it refuses this change. */
export const seemsDown = (code: number | null) => code === null || unavailable.has(code);

/** How a receiver that seems to be down is left alone. */
export interface Rest {
  /** Tries in a row that said so. */
  readonly failures: number;
  readonly until: number;
}

/** Tries in a row before a receiver is taken to be down. */
const failuresBeforeRest = 50;
const longestRest = minute;

/** Milliseconds to leave a receiver alone that seems to be down, before the next try to see whether it is back. */
export function restAfter(failures: number): number {
  return failures < failuresBeforeRest
    ? 0
    : Math.min(longestRest, second * 2 ** Math.min(failures - failuresBeforeRest, 10));
}

export const restFrom = (now: number, failures: number): Rest => {
  return { failures, until: now + restAfter(failures) };
};

/** Milliseconds of it that are left. None where more are than any rest has: the clock was set back. */
export function restLeft(until: number | undefined, now: number): number {
  const left = (until ?? 0) - now;
  return left > 0 && left <= longestRest ? left : 0;
}
