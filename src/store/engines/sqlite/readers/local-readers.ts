import type { SqliteDriver } from '../connection/driver.ts';
import { WorkQueue } from '../work-queue.ts';
import { ReaderFile } from './reader-file.ts';
import { defaultQueryTimeout, type Readers } from './readers.ts';

/** Performs expensive reads in this thread, slice by slice with other work in between. For processes that serve few requests. */
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
