import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Catalog } from '../../catalog/catalog.ts';
import { openSqliteEngine } from '../../store/engines/sqlite/engine.ts';
import { type CommandContext, CommandFailure } from '../command.ts';
import { type Flags, UsageError } from '../flags.ts';
import { databaseFlag, databaseName, findDatabase, openDatabase } from './database.ts';
import { DirectoryInUse, lockDirectory } from './directory-lock.ts';
import { directoryTarget } from './directory-target.ts';
import { type Server, serverTarget } from './server-target.ts';
import type { Target } from './target.ts';

/** The flags of a command that works on a server or on a data directory. */
export const targetFlags = {
  url: { kind: 'text', summary: 'A running server to work on, with the key in VITRINE_ADMIN_KEY' },
  data: { kind: 'text', summary: 'Without --url: the data directory, not in use', fallback: './data' },
  ...databaseFlag,
} as const satisfies Flags;

type Asked = Pick<CommandContext, 'flags' | 'environment' | 'runtime' | 'err'>;

/** The server that is to be worked on, or undefined where it is a directory. */
export function findServer({ flags, environment }: Asked): Server | undefined {
  if (flags.given('url') && flags.given('data')) throw new UsageError('--url and --data do not go together');
  if (flags.given('url') && flags.given('database')) {
    throw new UsageError('--url and --database do not go together');
  }
  const elsewhere = flags.given('data') || flags.given('database');
  const url = elsewhere ? '' : flags.text('url').replace(/\/+$/, '');
  if (url === '') return undefined;
  if (!/^https?:\/\/[^\s/]/.test(url))
    throw new UsageError(`--url must begin with http:// or https://, not '${url}'`);
  const key = environment.VITRINE_ADMIN_KEY ?? '';
  if (key === '') throw new UsageError('--url needs the key of the administrator in VITRINE_ADMIN_KEY');
  return { url, key };
}

/** `missing`: what a data directory that is not there yet means: a mistake, nothing in it, or one to make. */
export async function openTarget(asked: Asked, missing: 'refuse' | 'empty' | 'make'): Promise<Target> {
  const server = findServer(asked);
  if (server) return serverTarget(server);
  const address = findDatabase(asked.flags);
  if (address !== undefined) return openDirectory(asked, databaseName(address), 'make');
  const directory = asked.flags.text('data');
  if (missing !== 'empty' || existsSync(join(directory, 'instance.db'))) {
    return openDirectory(asked, directory, missing);
  }
  const nowhere = await mkdtemp(join(tmpdir(), 'vitrine-empty-'));
  const target = await openDirectory(asked, nowhere, 'make');
  const close = () => target.close().finally(() => rm(nowhere, { recursive: true, force: true }));
  return { ...target, place: directory, close };
}

async function openDirectory(asked: Asked, directory: string, missing: 'refuse' | 'empty' | 'make') {
  const { catalog, release } = await openCatalog(asked, missing === 'make', directory);
  const { err } = asked;
  const log = {
    info: (message: string) => err(`${message}\n`),
    error: (message: string, error: unknown) => err(`${message}: ${error}\n`),
  };
  const target = directoryTarget(catalog, log, directory);
  return { ...target, close: () => target.close().finally(release) };
}

/** Everything in a data directory, for this process alone, or in a PostgreSQL, as one of its nodes. */
export async function openCatalog(
  { runtime, flags }: Pick<Asked, 'runtime' | 'flags'>,
  make: boolean,
  directory = flags.text('data'),
) {
  const address = findDatabase(flags);
  if (address !== undefined) return openNode(address);
  if (!make && !existsSync(join(directory, 'instance.db'))) {
    throw new CommandFailure(`there is no data in '${directory}': name the directory with --data`);
  }
  let release: (() => void) | undefined;
  try {
    release = lockDirectory(runtime.sqlite, directory);
    return { catalog: new Catalog(openSqliteEngine(runtime.sqlite, directory), Date.now), release };
  } catch (error) {
    release?.();
    const reason = error instanceof Error ? error.message : String(error);
    const hint = error instanceof DirectoryInUse ? '; work on that server with --url, or stop it' : '';
    throw new CommandFailure(`the data directory '${directory}' can not be used: ${reason}${hint}`);
  }
}

async function openNode(address: string) {
  try {
    const engine = await openDatabase(address, { info() {} });
    return { catalog: new Catalog(engine, Date.now), release() {} };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`${databaseName(address)} can not be used: ${reason}`);
  }
}
