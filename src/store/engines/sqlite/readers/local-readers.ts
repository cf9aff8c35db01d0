import type { SqliteDriver } from '../connection/driver.ts';
import { WorkQueue } from '../work-queue.ts';
import { ReaderFile } from './reader-file.ts';
import { defaultQueryTimeout, type Readers } from './readers.ts';

/** Expensive reads in this thread, a slice at a time with everything else in between. For processes that serve few. */
export function localReaders(driver: SqliteDriver, timeout = defaultQueryTimeout): Readers {
  return {
    open(path) {
      let file: ReaderFile | undefined;
      const queue = new WorkQueue();
      return {
        read(kind, plan, turn) {
          const { signal, unlimited = false } = turn ?? {};
          const latest = unlimited ? Number.POSITIVE_INFINITY : Date.now() + timeout;
          const stop = () => (signal?.aborted ? 'left' : Date.now() > latest ? 'timeout' : undefined);
          return queue.run(() => {
            file ??= new ReaderFile(driver, path);
            return file.read(kind, plan, stop, timeout, nextTurn);
          });
        },
        close: () =>
          queue.run(async () => {
            file?.close();
            file = undefined;
          }),
      };
    },
    close: async () => {},
  };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
