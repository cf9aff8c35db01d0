import { admin } from '../../api.ts';
import { useQuery } from '../../queries.ts';

export interface Schedule {
  /** Milliseconds between scheduled backups; undefined: there is no schedule. */
  readonly every: number | undefined;
}

const series = /^vitrine_backup_interval_seconds ([0-9.]+)$/m;

/** The schedule is a flag of the server; its metrics tell it. Returns undefined while it is not known. */
export function useSchedule(): Schedule | undefined {
  const { data } = useQuery({ key: ['schedule'], load: (signal) => findSchedule(signal), fresh: 5 * 60_000 });
  return data;
}

async function findSchedule(signal: AbortSignal): Promise<Schedule> {
  const seconds = series.exec(await admin.metrics({ signal }))?.[1];
  return { every: seconds === undefined ? undefined : Number(seconds) * 1000 };
}
