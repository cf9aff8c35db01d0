import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../store/engine.ts';
import type { PostgresOptions } from '../../store/engines/postgres/engine.ts';
import type { Flags, FlagValues } from '../flags.ts';
import { reasonOf } from './reasons.ts';

export type DatabaseOptions = Omit<PostgresOptions, 'url'>;

/** Milliseconds: timers accept little more. */
export const longestTime = 2_000_000_000;

/** Milliseconds: how long a command waits for PostgreSQL to take its first connection. */
const patience = 30_000;

/** For commands that serve requests. */
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

/** Does not connect: the database may be unreachable for now. The driver is loaded only if a database is used. */
export async function joinDatabase(address: string, options: DatabaseOptions): Promise<Engine> {
  const { openPostgresEngine } = await import('../../store/engines/postgres/engine.ts');
  return openPostgresEngine({ url: address, ...options });
}

/** Connects too, to see whether the database can be used. */
export async function openDatabase(address: string, options: DatabaseOptions): Promise<Engine> {
  const engine = await joinDatabase(address, options);
  try {
    await untilReached(engine, options.log);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** A server that is starting, or that is too busy for another connection, is asked again for a while. */
async function untilReached(engine: Engine, log: DatabaseOptions['log']): Promise<void> {
  const { mayConnectSoon } = await import('../../store/engines/postgres/connection/faults.ts');
  const latest = performance.now() + patience;
  let told = false;
  for (;;) {
    try {
      await engine.listProjects({ limit: 1, offset: 0 });
      return;
    } catch (error) {
      const cause = innermost(error);
      if (!mayConnectSoon(cause) || performance.now() >= latest) throw new Error(reasonOf(cause));
      if (!told) log.info(`PostgreSQL takes no connection yet, waiting for it: ${reasonOf(cause)}`);
      told = true;
    }
    await sleep(500);
  }
}

/** The original error of PostgreSQL or the network; only for whoever starts the command. */
function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : error;
}

/** Its name in messages, without the password. */
export function databaseName(address: string): string {
  const [first = ''] = split(address);
  const { pathname } = new URL(first);
  return `PostgreSQL at ${hostsOf(address)}${pathname}`;
}

export function isAddress(address: string): boolean {
  return /^postgres(ql)?:\/\/[^\s/]/.test(address) && split(address).every(isReadable);
}

/** Checks user and password too: an invalid percent-encoding can't be decoded. */
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

/** Splits an address with several hosts, separated by commas, into one address each, as URL can't parse it. */
function split(address: string): string[] {
  return hostsOf(address)
    .split(',')
    .map((host) => address.replace(form, (_, before, _hosts, rest) => `${before}${host}${rest}`));
}
