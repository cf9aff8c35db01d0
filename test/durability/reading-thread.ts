import { parentPort, workerData } from 'node:worker_threads';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { openReader } from '../../src/store/engines/sqlite/connection/project-file.ts';
import { raw } from '../../src/store/sql/tag.ts';
import { pause } from '../support.ts';

/**
 * Reads what is in the file again and again, each time for some milliseconds, until it is told to stop. Notes the most
 * milliseconds that one read took in `longest`.
 */
const { path, longest } = workerData as { path: string; longest: Int32Array };
const { sqlite } = await loadRuntime();
const reader = openReader(sqlite, path);
let over = false;
parentPort?.on('message', () => {
  over = true;
});
parentPort?.postMessage('reading');
while (!over) {
  const begun = performance.now();
  await reader.snapshot(async () => {
    reader.row(raw('SELECT count(*) FROM blobs WHERE n < 10'));
    await pause(3);
  });
  longest[0] = Math.max(longest[0] ?? 0, performance.now() - begun);
}
reader.close();
process.exit();
