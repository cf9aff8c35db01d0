import type { Channel } from '../../channel.ts';
import type { Log } from '../../log.ts';
import { startWriterThread } from '../../runtime/writers.ts';
import { openSqliteEngine } from '../../store/engines/sqlite/engine.ts';
import { localWriters } from '../../store/engines/sqlite/writes/local-writers.ts';
import { remoteWriters } from '../../store/engines/sqlite/writes/remote-writers.ts';
import { serveWriters } from '../../store/engines/sqlite/writes/serve-writers.ts';
import type { Writers } from '../../store/engines/sqlite/writes/writers.ts';
import type { Engine } from '../../store/store.ts';
import type { CommandContext } from '../command.ts';
import { findDatabase, joinDatabase, openDatabase } from '../target/database.ts';
import { lockDirectory } from '../target/directory-lock.ts';

type Place = Pick<CommandContext, 'flags' | 'runtime'>;

/** Where the data is, taken for this process and its workers. */
export interface Storage {
  readonly engine: Engine;
  /** Lets go of it, once the engine is closed. */
  release(): void;
}

/** For a process that serves alone. It writes in a thread: no request waits with a commit for the disk. */
export function openStorage(place: Place, log: Log): Promise<Storage> {
  const address = findDatabase(place.flags);
  if (address !== undefined) return openNode(place, address, log);
  const failed = (error: unknown) => {
    log.error('the thread that writes failed', error);
    process.exit(1);
  };
  return take(place, () => startWriterThread({ failed }));
}

export interface SharedStorage extends Storage {
  /** Lets a worker write, at the other end of the channel. */
  connect(channel: Channel): void;
}

/** For the parent of workers. It answers no requests, so it may write where it is. */
export async function shareStorage(place: Place, log: Log): Promise<SharedStorage> {
  const address = findDatabase(place.flags);
  if (address !== undefined) return { ...(await openNode(place, address, log)), connect() {} };
  const writers = localWriters(place.runtime.sqlite);
  const storage = await take(place, () => writers);
  return { ...storage, connect: (channel) => void serveWriters(writers, channel) };
}

/** For a worker: the channel leads to its parent. */
export async function joinStorage({ flags, runtime }: Place, channel: Channel, log: Log): Promise<Engine> {
  const address = findDatabase(flags);
  // Its parent has found it good; a worker that is started in an outage waits for its end like the others.
  if (address !== undefined) return joinDatabase(address, log, flags);
  return openSqliteEngine(runtime.sqlite, flags.text('data'), remoteWriters(channel));
}

/** Over a PostgreSQL every process is a node of its own, with nothing that others wait for. */
async function openNode({ flags }: Place, address: string, log: Log): Promise<Storage> {
  return { engine: await openDatabase(address, log, flags), release() {} };
}

async function take({ flags, runtime }: Place, startWriters: () => Writers): Promise<Storage> {
  const directory = flags.text('data');
  const release = lockDirectory(runtime.sqlite, directory);
  const writers = startWriters();
  try {
    return { engine: openSqliteEngine(runtime.sqlite, directory, writers), release };
  } catch (error) {
    await writers.close();
    release();
    throw error;
  }
}
