/** How the values of several processes are combined. */
type Combine = 'sum' | 'max' | 'min';

interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly combine: Combine;
  /** Set if it only grows. */
  readonly counts?: true;
}

/** Read when the metrics are asked for. NaN: not known, or not applicable. */
const known = {
  requestsInFlight: { name: 'vitrine_requests_in_flight', help: 'Requests being answered', combine: 'sum' },
  openProjects: { name: 'vitrine_open_projects', help: 'Projects that processes have open', combine: 'sum' },
  databaseBytes: { name: 'vitrine_database_bytes', help: 'Size of the database files', combine: 'max' },
  walBytes: { name: 'vitrine_wal_bytes', help: "Size of SQLite's write-ahead logs", combine: 'max' },
  poolSize: { name: 'vitrine_pool_size', help: 'Connections to PostgreSQL at most', combine: 'sum' },
  poolUsed: { name: 'vitrine_pool_used', help: 'Connections to PostgreSQL in use', combine: 'sum' },
  poolWaiting: { name: 'vitrine_pool_waiting', help: 'Requests that wait for a connection', combine: 'sum' },
  streams: { name: 'vitrine_streams_open', help: 'Open streams of the change feed', combine: 'sum' },
  feedLag: {
    name: 'vitrine_feed_lag_seconds',
    help: 'How far the change feed is behind the writes',
    combine: 'max',
  },
  webhooksWaiting: {
    name: 'vitrine_webhook_changes_waiting',
    help: 'Changes that webhooks wait for',
    combine: 'max',
  },
  mailsWaiting: { name: 'vitrine_mails_waiting', help: 'Mails to be sent', combine: 'max' },
  backupAge: {
    name: 'vitrine_backup_age_seconds',
    help: 'Time since the last good backup of the project that waits longest for one',
    combine: 'max',
  },
  backupInterval: {
    name: 'vitrine_backup_interval_seconds',
    help: 'How often the server makes a backup of each project by itself',
    combine: 'max',
  },
  eventLoopDelay: {
    name: 'vitrine_event_loop_delay_seconds',
    help: 'The longest delay of the event loop in the last 15 seconds',
    combine: 'max',
  },
  memory: { name: 'process_resident_memory_bytes', help: 'Resident memory', combine: 'sum' },
  cpu: { name: 'process_cpu_seconds_total', help: 'Processor time', combine: 'sum', counts: true },
  started: { name: 'process_start_time_seconds', help: 'When the first process was started', combine: 'min' },
} as const satisfies Record<string, Gauge>;

export type GaugeName = keyof typeof known;

export const gauges: readonly (Gauge & { readonly key: GaugeName })[] = (
  Object.entries(known) as [GaugeName, Gauge][]
).map(([key, gauge]) => ({ ...gauge, key }));

type Read = () => number | Promise<number>;
const started = Date.now() / 1000 - process.uptime();
const reads = new Map<GaugeName, Read>([
  ['memory', () => process.memoryUsage.rss()],
  ['cpu', () => cpuSeconds()],
  ['started', () => started],
]);

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

/** Sets how this process reads a value. A gauge without a reader is unknown here. */
export function setGauge(name: GaugeName, read: Read): void {
  reads.set(name, read);
  underWay.delete(name);
  last.delete(name);
}

/** Most milliseconds to wait for a value: an unreachable database or bucket must not hold up the others. */
const longestRead = 500;
const underWay = new Map<GaugeName, Promise<number>>();
/** The last values, used if a read takes too long. */
const last = new Map<GaugeName, number>();

export async function readGauges(): Promise<number[]> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, longestRead);
  const values = gauges.map(({ key }) =>
    Promise.race([readOne(key), late.then(() => last.get(key) ?? Number.NaN)]),
  );
  const found = await Promise.all(values);
  clearTimeout(timer);
  return found;
}

/** Joins a read that is under way instead of starting another. */
function readOne(key: GaugeName): Promise<number> {
  const known = underWay.get(key);
  if (known) return known;
  const reading = find(key).then((value) => {
    if (underWay.get(key) !== reading) return value; // the reader was replaced meanwhile
    underWay.delete(key);
    last.set(key, value);
    return value;
  });
  underWay.set(key, reading);
  return reading;
}

async function find(key: GaugeName): Promise<number> {
  try {
    return (await reads.get(key)?.()) ?? Number.NaN;
  } catch {
    return Number.NaN;
  }
}

export function combine(how: Combine, values: readonly number[]): number {
  const numbers = values.filter((value) => !Number.isNaN(value));
  if (numbers.length === 0) return Number.NaN;
  if (how === 'sum') return numbers.reduce((sum, value) => sum + value, 0);
  return how === 'max' ? Math.max(...numbers) : Math.min(...numbers);
}
