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

/** An instance's data, for this process: a directory for it alone, a database as one of its nodes. */
export interface OpenEngine {
  /** What to call its place to a person. */
  readonly name: string;
  /** Closing it lets go of the directory too. */
  readonly engine: Engine;
}

export interface OpenOptions {
  readonly runtime: Runtime;
  readonly log?: Pick<Log, 'info'>;
  /** Others may have the directory open too: for what is kept in the instance's own file. */
  readonly shared?: boolean;
  /** A directory with nothing in it is made; otherwise it is a mistake. */
  readonly make: boolean;
  /** The flag by which the directory is named; --data where it is left out. */
  readonly flag?: string;
  /** What to do where another process has it. */
  readonly whereInUse?: string;
  /**
   * Who writes to a directory's files; this thread where it is left out. They are closed with the engine, and by whoever made
   * them where it can't be opened.
   */
  readonly writers?: Writers;
  /** Who does expensive reads of a directory's files; this thread where it is left out. */
  readonly startReaders?: () => Readers;
  readonly database?: Omit<DatabaseOptions, 'log'>;
}

/** The only way in which a command takes hold of data: what is wrong with it is one line. */
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
