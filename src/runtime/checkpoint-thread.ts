import { workerData } from 'node:worker_threads';
import { openCheckpointer } from '../store/engines/sqlite/connection/project-file.ts';
import type { CheckpointAsk } from './checkpoints.ts';
import { loadRuntime } from './load-runtime.ts';
import { beginThread } from './thread.ts';

/** A thread that checkpoints write-ahead logs into their files: it waits for the disk, so that writes do not have to. */
beginThread(async (port) => {
  const { sqlite } = await loadRuntime();
  const { driver } = workerData as { driver: string | undefined };
  const used = driver === undefined ? sqlite : (await import(driver)).wrapDriver(sqlite);
  const files = new Map<number, ReturnType<typeof openCheckpointer>>();

  port.on('message', (ask: CheckpointAsk | null) => {
    if (ask === null) return port.close();
    const { n } = ask;
    try {
      perform(ask);
      port.postMessage({ n });
    } catch (error) {
      port.postMessage({ n, error: String(error) });
    }
  });

  function perform({ file, path }: CheckpointAsk): void {
    const known = files.get(file);
    if (path === undefined) {
      known?.close();
      files.delete(file);
      return;
    }
    const checkpointer = known ?? openCheckpointer(used, path);
    files.set(file, checkpointer);
    checkpointer.copy();
  }
});
