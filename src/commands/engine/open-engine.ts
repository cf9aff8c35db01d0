import type { Log } from '../../log.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Engine } from '../../store/engine.ts';
import { openSqliteEngine } from '../../store/engines/sqlite/engine.ts';
import type { Readers } from '../../store/engines/sqlite/readers/readers.ts';
import type { Writers } from '../../store/engines/sqlite/writes/writers.ts';
import { CommandFailure } from '../command.ts';
import { type DatabaseOptions, openDatabase } from './database.ts';
import { DirectoryInUse, lockDirectory } from './directory-lock.ts';
import { isEmptyDirectory, type Place, placeName } from './place.ts';
import { reasonOf } from './reasons.ts';

/** An instance's data, opened by this process: a directory exclusively, a database as one of its nodes. */
export interface OpenEngine {
  /** The name of its place in messages. */
  readonly name: string;
  /** Closing it also releases the directory. */
  readonly engine: Engine;
}

export interface OpenOptions {
  readonly runtime: Runtime;
  readonly log?: Pick<Log, 'info'>;
  /** Does not lock the directory; for commands that use only the instance's own file. */
  readonly shared?: boolean;
  /** Whether an empty directory is initialized; otherwise it is an error. */
  readonly make: boolean;
  /** The flag that names the directory, for messages; the default is --data. */
  readonly flag?: string;
  /** The advice if another process has it. */
  readonly whereInUse?: string;
  /**
   * Writes to a directory's files; the default is this thread. They are closed with the engine; if it can't be opened, the caller
   * must close them.
   */
  readonly writers?: Writers;
  /** Does expensive reads of a directory's files; the default is this thread. */
  readonly startReaders?: () => Readers;
  readonly database?: Omit<DatabaseOptions, 'log'>;
}

/** The only way in which commands open data. Errors are one line. */
export async function openEngine(place: Place, options: OpenOptions): Promise<OpenEngine> {
  const name = placeName(place);
  if (!options.make && isEmptyDirectory(place)) {
    const { flag = '--data' } = options;
    throw new CommandFailure(`there is no data in '${name}': name the directory with ${flag}`);
  }
  try {
    return place.kind === 'directory'
      ? await openDirectory(place.path, options)
      : await openNode(name, place.address, options);
  } catch (error) {
    const what = place.kind === 'directory' ? `the data directory '${name}'` : name;
    const { whereInUse = 'work on that server with --url, or stop it' } = options;
    const hint = error instanceof DirectoryInUse ? `; ${whereInUse}` : '';
    throw new CommandFailure(`${what} can't be used: ${reasonOf(error)}${hint}`, { cause: error });
  }
}

async function openDirectory(
  path: string,
  { runtime, writers, startReaders, shared }: OpenOptions,
): Promise<OpenEngine> {
  const release = shared ? () => {} : lockDirectory(runtime.sqlite, path);
  try {
    const readers = startReaders?.();
    const engine = openSqliteEngine(runtime.sqlite, path, writers, readers ? { readers } : {});
    return { name: path, engine: { ...engine, close: () => engine.close().finally(release) } };
  } catch (error) {
    release();
    throw error;
  }
}

async function openNode(name: string, address: string, { log, database }: OpenOptions): Promise<OpenEngine> {
  const engine = await openDatabase(address, { log: log ?? { info() {} }, ...database });
  return { name, engine };
}
