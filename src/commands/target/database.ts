import type { Log } from '../../log.ts';
import type { PostgresOptions } from '../../store/engines/postgres/engine.ts';
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
  if (!isAddress(address)) {
    throw new UsageError('--database must be an address such as postgres://user:password@host:5432/name');
  }
  return address;
}

/** Whoever keeps the data in a directory does without the driver of PostgreSQL. */
export async function openPostgres(options: PostgresOptions): Promise<Engine> {
  const { openPostgresEngine } = await import('../../store/engines/postgres/engine.ts');
  return openPostgresEngine(options);
}

/** Without a look at it: it may be out of reach for now. */
export function joinDatabase(address: string, log: Pick<Log, 'info'>, flags?: FlagValues): Promise<Engine> {
  return openPostgres({
    url: address,
    log,
    ...(flags && { pool: flags.number('pool'), statementTimeout: flags.number('statement-timeout') }),
  });
}

/** Also finds out whether it can be used. */
export async function openDatabase(
  address: string,
  log: Pick<Log, 'info'>,
  flags?: FlagValues,
): Promise<Engine> {
  const engine = await joinDatabase(address, log, flags);
  try {
    await engine.listProjects({ limit: 1, offset: 0 });
    return engine;
  } catch (error) {
    await engine.close();
    throw new Error(innermost(error));
  }
}

/** What went wrong, as PostgreSQL or the network says it: to whoever starts the server, and to nobody else. */
function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? innermost(error.cause) : error.message;
}

/** What to call it to a person: without the password. */
export function databaseName(address: string): string {
  const [first = ''] = split(address);
  const { pathname } = new URL(first);
  return `PostgreSQL at ${hostsOf(address)}${pathname}`;
}

export function isAddress(address: string): boolean {
  return /^postgres(ql)?:\/\/[^\s/]/.test(address) && split(address).every((one) => URL.canParse(one));
}

const form = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

function hostsOf(address: string): string {
  return form.exec(address)?.[2] ?? '';
}

/** Of several hosts with commas between them, an address each: one that names them all is none to a URL. */
function split(address: string): string[] {
  return hostsOf(address)
    .split(',')
    .map((host) => address.replace(form, (_, before, _hosts, rest) => `${before}${host}${rest}`));
}
