import type { Channel } from '../../channel.ts';
import type { Log } from '../../log.ts';
import { startReaderThreads } from '../../runtime/readers.ts';
import type { Engine } from '../../store/engine.ts';
import { openSqliteEngine } from '../../store/engines/sqlite/engine.ts';
import type { Readers } from '../../store/engines/sqlite/readers/readers.ts';
import { localWriters } from '../../store/engines/sqlite/writes/local-writers.ts';
import { remoteWriters } from '../../store/engines/sqlite/writes/remote-writers.ts';
import { restingWriters } from '../../store/engines/sqlite/writes/resting-writers.ts';
import { serveWriters } from '../../store/engines/sqlite/writes/serve-writers.ts';
import type { Writers } from '../../store/engines/sqlite/writes/writers.ts';
import type { CommandContext } from '../command.ts';
import { joinDatabase, readPool } from '../engine/database.ts';
import { type OpenOptions, openEngine } from '../engine/open-engine.ts';
import { readServerPlace } from '../engine/place.ts';

type Asked = Pick<CommandContext, 'flags' | 'runtime'>;

/** For a server without workers. */
export function openStorage(asked: Asked, log: Log, writers: Writers | undefined): Promise<Engine> {
  return open(asked, log, writers, () => readers(asked, log));
}

export interface SharedStorage {
  readonly engine: Engine;
  /** What has to be unused for a while before this process can rest: writers rest by themselves, as workers use them too. */
  readonly restsWith: 'catalog' | 'writers';
  /** Lets the worker at the other end of the channel write. */
  connect(channel: Channel): void;
}

/** For the parent of workers. It serves no requests, so it can write in its own thread. */
export async function shareStorage(asked: Asked, log: Log): Promise<SharedStorage> {
  if (readServerPlace(asked.flags).kind === 'database')
    return { engine: await open(asked, log), restsWith: 'catalog', connect() {} };
  const { sqlite, rest } = asked.runtime;
  const writers = restingWriters(localWriters(sqlite), rest);
  const engine = await open(asked, log, writers);
  const connect = (channel: Channel) => void serveWriters(writers, channel, engine.finishProjects);
  return { engine, restsWith: 'writers', connect };
}

/** For a worker: the channel leads to its parent. */
export async function joinStorage({ flags, runtime }: Asked, channel: Channel, log: Log): Promise<Engine> {
  const place = readServerPlace(flags);
  // Not checked again, as the parent did so: a worker that starts during an outage waits for its end like the others.
  if (place.kind === 'database') return joinDatabase(place.address, { log, ...readPool(flags) });
  return openSqliteEngine(runtime.sqlite, place.path, remoteWriters(channel), {
    readers: readers({ flags }, log),
    isShared: true,
  });
}

/** For reads whose cost grows with the size of a collection. */
function readers({ flags }: Pick<Asked, 'flags'>, log: Log): Readers {
  const failed = (error: unknown) => {
    log.error('a thread that reads failed', error);
    process.exit(1);
  };
  const [threads, timeout] = [flags.number('readers'), flags.number('query-timeout')];
  return startReaderThreads({ threads: Math.max(1, threads), timeout, failed });
}

/** Closes the writers if the engine can't be opened, as nobody else does. */
async function open(
  { flags, runtime }: Asked,
  log: Log,
  writers?: Writers,
  startReaders?: OpenOptions['startReaders'],
): Promise<Engine> {
  try {
    const { engine } = await openEngine(readServerPlace(flags), {
      ...{ runtime, log, make: true, database: readPool(flags) },
      ...(writers && { writers }),
      ...(startReaders && { startReaders }),
    });
    return engine;
  } catch (error) {
    await writers?.close();
    throw error;
  }
}
