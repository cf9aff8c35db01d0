import type { Engine } from '../../store/engine.ts';
import type { PostgresOptions } from '../../store/engines/postgres/engine.ts';
import type { Flags, FlagValues } from '../flags.ts';
import { reasonOf } from './reasons.ts';

export type DatabaseOptions = Omit<PostgresOptions, 'url'>;

/** Milliseconds: what is longer, with some more, no timer takes. */
export const longestTime = 2_000_000_000;

/** For commands that serve many. */
export const poolFlags = {
  pool: { kind: 'number', summary: 'Connections to PostgreSQL at most', fallback: '10', least: 1 },
  'statement-timeout': {
    kind: 'number',
    summary: 'Milliseconds that PostgreSQL may work on one statement',
    fallback: '8000',
    least: 1,
    most: longestTime,
  },
} as const satisfies Flags;

export function readPool(flags: FlagValues) {
  return {
    pool: flags.number('pool'),
    statementTimeout: flags.number('statement-timeout'),
    queryTimeout: flags.number('query-timeout'),
  };
}

/** Without a look at it: it may be out of reach for now. Who keeps the data in a directory does without the driver. */
export async function joinDatabase(address: string, options: DatabaseOptions): Promise<Engine> {
  const { openPostgresEngine } = await import('../../store/engines/postgres/engine.ts');
  return openPostgresEngine({ url: address, ...options });
}

/** Also finds out whether it can be used. */
export async function openDatabase(address: string, options: DatabaseOptions): Promise<Engine> {
  const engine = await joinDatabase(address, options);
  try {
    await engine.listProjects({ limit: 1, offset: 0 });
    return engine;
  } catch (error) {
    await engine.close();
    throw new Error(innermost(error));
  }
}

/** What went wrong, as PostgreSQL or the network says it: to whoever starts the command, and to nobody else. */
function innermost(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : reasonOf(error);
}

/** What to call it to a person: without the password. */
export function databaseName(address: string): string {
  const [first = ''] = split(address);
  const { pathname } = new URL(first);
  return `PostgreSQL at ${hostsOf(address)}${pathname}`;
}

export function isAddress(address: string): boolean {
  return /^postgres(ql)?:\/\/[^\s/]/.test(address) && split(address).every(isReadable);
}

/** Also who and with what password: a % that begins no character can't be read. */
function isReadable(address: string): boolean {
  try {
    const { username, password } = new URL(address);
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
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
