import type { Reading } from './read-metrics.ts';

/** The charted values of one moment; counters become rates since the previous reading. null: not known. */
export interface Moment {
  readonly at: number;
  /** Requests a second. */
  readonly requests: number | null;
  /** Of these, refused (4xx) and failed (5xx). */
  readonly refused: number | null;
  readonly failed: number | null;
  /** Seconds until the answer began, as median and 95th percentile. */
  readonly median: number | null;
  readonly slow: number | null;
  /** Bytes. */
  readonly memory: number | null;
  readonly wal: number | null;
  /** Cores in use: 1.5 is one and a half. */
  readonly processor: number | null;
  /** Seconds. */
  readonly standstill: number | null;
  /** Connections to PostgreSQL. */
  readonly connections: number | null;
  readonly waiting: number | null;
}

export type FigureName = Exclude<keyof Moment, 'at'>;

export function momentOf(now: Reading, before: Reading | undefined): Moment {
  const gauge = (name: string) => finite(now.gauges[name]);
  // A counter that has decreased means that the server was restarted.
  const restarted = before !== undefined && total(now) < total(before);
  const last = restarted ? undefined : before;
  const seconds = last ? (now.at - last.at) / 1000 : 0;
  const rate = (count: (reading: Reading) => number | undefined) =>
    last && seconds > 0 ? finite(((count(now) ?? 0) - (count(last) ?? 0)) / seconds) : null;
  const counts = last ? grown(now, last) : [];
  return {
    at: now.at,
    requests: rate(total),
    refused: rate(({ requests }) => requests['4xx']),
    failed: rate(({ requests }) => requests['5xx']),
    median: quantile(counts, 0.5),
    slow: quantile(counts, 0.95),
    memory: gauge('process_resident_memory_bytes'),
    wal: gauge('vitrine_wal_bytes'),
    processor: rate(({ gauges }) => gauges.process_cpu_seconds_total),
    standstill: gauge('vitrine_event_loop_delay_seconds'),
    connections: gauge('vitrine_pool_used'),
    waiting: gauge('vitrine_pool_waiting'),
  };
}

const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

const total = ({ requests }: Reading) => Object.values(requests).reduce((sum, count) => sum + count, 0);

function grown(now: Reading, before: Reading): Reading['within'] {
  const known = new Map(before.within);
  return now.within.map(([bound, count]) => [bound, count - (known.get(bound) ?? 0)]);
}

/** Like Prometheus' `histogram_quantile`: assumes that values are spread evenly within a bucket. */
export function quantile(within: Reading['within'], share: number): number | null {
  const wanted = (within.at(-1)?.[1] ?? 0) * share;
  if (wanted === 0) return null;
  let lower = 0;
  let below = 0;
  for (const [bound, count] of within) {
    if (count >= wanted) {
      if (bound === Number.POSITIVE_INFINITY) return lower;
      const part = (wanted - below) / (count - below);
      return Math.min(bound, lower + (bound - lower) * part); // rounding may exceed the bound a little
    }
    lower = bound;
    below = count;
  }
  return lower;
}
