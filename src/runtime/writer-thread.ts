import { workerData } from 'node:worker_threads';
import { useCells } from '../metrics/cells.ts';
import type { SqliteDriver } from '../store/engines/sqlite/connection/driver.ts';
import { localWriters } from '../store/engines/sqlite/writes/local-writers.ts';
import { restingWriters } from '../store/engines/sqlite/writes/resting-writers.ts';
import { serveWriters } from '../store/engines/sqlite/writes/serve-writers.ts';
import { limitAnswers } from '../store/sizes.ts';
import { startCheckpointThread } from './checkpoints.ts';
import { loadRuntime } from './load-runtime.ts';
import { beginThread } from './thread.ts';
import type { WriterData } from './writers.ts';

/** The thread that writes: commits wait for the disk here, where they block no request. */
beginThread(async (port) => {
  const { sqlite, rest } = await loadRuntime();
  const { driver, cells, largestAnswer } = workerData as WriterData;
  useCells(cells);
  limitAnswers(largestAnswer);
  const used: SqliteDriver = driver === undefined ? sqlite : (await import(driver)).wrapDriver(sqlite);

  const writers = restingWriters(localWriters(used, undefined, startCheckpointThread(driver)), rest);
  await serveWriters(writers, {
    post: (text) => port.postMessage(text),
    listen(received, ended) {
      port.on('message', (text: string | null) => (text === null ? ended() : received(text)));
    },
    close: async () => {},
  });
  await writers.close();
  port.close();
});
