import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteEngine } from '../../store/engines/sqlite/engine.ts';
import type { Engine } from '../../store/store.ts';
import { type CommandContext, CommandFailure } from '../command.ts';
import { UsageError } from '../flags.ts';
import { databaseName, isAddress, openPostgres } from '../target/database.ts';
import { DirectoryInUse, lockDirectory } from '../target/directory-lock.ts';

type Asked = Pick<CommandContext, 'flags' | 'runtime'>;

/** Where a project is copied from, or to. */
export interface CopyPlace {
  /** What to call it to a person; without a password. */
  readonly name: string;
  readonly engine: Engine;
  close(): Promise<void>;
}

export interface CopyPlaces {
  readonly from: CopyPlace;
  readonly to: CopyPlace;
  close(): Promise<void>;
}

/** Milliseconds for one statement: an index over many records is one. */
const longestStatement = 60 * 60_000;

/** Both places; a directory that is both is taken once. */
export async function openPlaces(asked: Asked): Promise<CopyPlaces> {
  const [source, target] = [readPlace(asked, 'from'), readPlace(asked, 'to')];
  if ('directory' in source && !existsSync(join(source.directory, 'instance.db'))) {
    throw new CommandFailure(`there is no data in '${source.directory}'`);
  }
  const from = await openPlace(asked, source);
  try {
    const to = isSame(source, target) ? from : await openPlace(asked, target);
    return { from, to, close: () => closeAll(new Set([to, from])) };
  } catch (error) {
    await from.close();
    throw error;
  }
}

type Read = { readonly directory: string } | { readonly url: string; readonly name: string };

function readPlace({ flags }: Asked, flag: 'from' | 'to'): Read {
  const text = flags.text(flag);
  if (text === '') throw new UsageError(`--${flag} is missing: a data directory or a postgres:// address`);
  if (!text.includes('://')) return { directory: text };
  if (!isAddress(text)) {
    throw new UsageError(
      `--${flag} must be a data directory or an address such as postgres://user:password@host:5432/name`,
    );
  }
  return { url: text, name: databaseName(text) };
}

function isSame(one: Read, other: Read): boolean {
  if (!('directory' in one && 'directory' in other) || !existsSync(other.directory)) return false;
  return realpathSync(one.directory) === realpathSync(other.directory);
}

async function openPlace(asked: Asked, place: Read): Promise<CopyPlace> {
  try {
    return 'directory' in place
      ? openDirectory(asked, place.directory)
      : await openDatabase(place.url, place.name);
  } catch (error) {
    const name = 'directory' in place ? `the data directory '${place.directory}'` : place.name;
    const hint = error instanceof DirectoryInUse ? ': stop it first' : '';
    throw new CommandFailure(`${name} can not be used: ${reasonOf(error)}${hint}`);
  }
}

function openDirectory({ runtime }: Asked, directory: string): CopyPlace {
  const release = lockDirectory(runtime.sqlite, directory);
  try {
    const engine = openSqliteEngine(runtime.sqlite, directory);
    return { name: directory, engine, close: () => engine.close().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

async function openDatabase(url: string, name: string): Promise<CopyPlace> {
  const log = { info() {} }; // what it would say is in what fails
  const engine = await openPostgres({ url, log, pool: 4, statementTimeout: longestStatement });
  try {
    await engine.listProjects({ limit: 1, offset: 0 }); // it connects when it is first asked
  } catch (error) {
    await engine.close();
    throw error;
  }
  return { name, engine, close: () => engine.close() };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.message}${cause}`;
}

async function closeAll(places: ReadonlySet<CopyPlace>): Promise<void> {
  for (const place of places) await place.close();
}
