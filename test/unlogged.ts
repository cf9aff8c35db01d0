import { join } from 'node:path';
import type { JsonObject } from '../src/model/json.ts';
import { loadRuntime } from '../src/runtime/load-runtime.ts';
import { startApp, type TestApp } from './harness.ts';
import { sqliteStorage } from './storage.ts';

export interface Unlogged {
  readonly app: TestApp;
  /** Runs SQL in the project's file. */
  exec(sql: string): void;
  /** The first column of the first row. */
  value(sql: string): unknown;
  /** Makes one text another in all records of the collection that was made last, without a row in the log. */
  change(from: string, to: string): void;
  close(): Promise<void>;
}

/** A project `shop` in a file, and another connection to it. */
export async function startUnlogged(...collections: readonly JsonObject[]): Promise<Unlogged> {
  const storage = await sqliteStorage();
  const app = await startApp({ storage });
  await app.project('shop', ...collections);
  const { sqlite } = await loadRuntime();
  const file = sqlite.open(join(storage.flags[1] ?? '', 'projects/shop.db'));
  file.exec('PRAGMA busy_timeout = 10000'); // the writer indexes words meanwhile
  const value = (text: string) => file.prepare(text).rows([])[0]?.[0];
  const key = value('SELECT max(key) FROM collections');
  return {
    app,
    exec: (text) => file.exec(text),
    value,
    change: (from, to) => file.exec(`UPDATE r${key} SET json = replace(json, '"${from}"', '"${to}"')`),
    async close() {
      file.close();
      await app.close();
      await storage.remove();
    },
  };
}
