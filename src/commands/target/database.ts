import type { Log } from '../../log.ts';
import { openPostgresEngine } from '../../store/engines/postgres/engine.ts';
import type { Engine } from '../../store/store.ts';
import { type Flags, type FlagValues, UsageError } from '../flags.ts';

/** For every command that can work on a PostgreSQL in place of a data directory. */
export const databaseFlag = {
  database: { kind: 'text', summary: 'A postgres:// address to keep the data at, in place of --data' },
} as const satisfies Flags;

/** For those that serve many. */
export const poolFlags = {
  pool: { kind: 'number', summary: 'Connections to PostgreSQL at most', fallback: '10' },
  'statement-timeout': {
    kind: 'number',
    summary: 'Milliseconds that PostgreSQL may work on one statement',
    fallback: '8000',
  },
} as const satisfies Flags;

/** The address where the data is; undefined where it is in a directory. */
export function findDatabase(flags: FlagValues): string | undefined {
  const address = flags.text('database');
  if (address === '' || (flags.given('data') && !flags.given('database'))) return undefined;
  if (flags.given('data')) throw new UsageError('--database and --data do not go together');
  if (!/^postgres(ql)?:\/\/[^\s/]/.test(address) || !URL.canParse(address)) {
    throw new UsageError('--database must be an address such as postgres://user:password@host:5432/name');
  }
  return address;
}

/** Also finds out whether it can be used. */
export async function openDatabase(
  address: string,
  log: Pick<Log, 'info'>,
  flags?: FlagValues,
): Promise<Engine> {
  const engine = openPostgresEngine({
    url: address,
    log,
    ...(flags && { pool: flags.number('pool'), statementTimeout: flags.number('statement-timeout') }),
  });
  try {
    await engine.listProjects({ limit: 1, offset: 0 });
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** What to call it to a person: without the password. */
export function databaseName(address: string): string {
  const { host, pathname } = new URL(address);
  return `PostgreSQL at ${host}${pathname}`;
}
