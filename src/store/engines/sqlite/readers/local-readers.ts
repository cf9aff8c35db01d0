import type { SqliteDriver } from '../connection/driver.ts';
import { ReaderFile } from './reader-file.ts';
import { defaultQueryTimeout, type Readers } from './readers.ts';

/** Expensive reads in this thread, a slice at a time with everything else in between. For processes that serve few. */
export function localReaders(driver: SqliteDriver, timeout = defaultQueryTimeout): Readers {
  return {
    open(path) {
      let file: ReaderFile | undefined;
      let last: Promise<unknown> = Promise.resolve();
      const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
        const turn = last.then(work);
        last = turn.catch(() => {});
        return turn;
      };
      return {
        read(kind, plan, turn) {
          const { signal, unlimited = false } = turn ?? {};
          const latest = unlimited ? Number.POSITIVE_INFINITY : Date.now() + timeout;
          const stop = () => (signal?.aborted ? 'left' : Date.now() > latest ? 'timeout' : undefined);
          return inTurn(() => {
            file ??= new ReaderFile(driver, path);
            return file.read(kind, plan, stop, timeout, nextTurn);
          });
        },
        close: () =>
          inTurn(async () => {
            file?.close();
            file = undefined;
          }),
      };
    },
    close: async () => {},
  };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
