import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadRuntime } from '../src/runtime/runtime.ts';
import { openSqliteEngine } from '../src/store/engines/sqlite/engine.ts';
import type { Engine } from '../src/store/store.ts';
import { type AppOptions, startApp, type TestApp } from './harness.ts';

/** A database that any number of nodes can be opened over. */
export interface SharedDatabase {
  open(): Promise<Engine>;
  /** After every node is closed. */
  remove(): Promise<void>;
}

export async function sharedDirectory(): Promise<SharedDatabase> {
  const { sqlite } = await loadRuntime();
  const directory = await mkdtemp(join(tmpdir(), 'vitrine-nodes-'));
  return {
    open: async () => openSqliteEngine(sqlite, directory),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

export interface Nodes {
  readonly a: TestApp;
  readonly b: TestApp;
  close(): Promise<void>;
}

/** Two of the whole product over one database: all they share is what is in there. */
export async function startNodes(database: SharedDatabase, options: AppOptions = {}): Promise<Nodes> {
  const start = async () => {
    const engine = await database.open();
    return startApp({
      ...options,
      wrap(own) {
        void own.close();
        return options.wrap?.(engine) ?? engine;
      },
    });
  };
  const [a, b] = [await start(), await start()];
  return {
    a,
    b,
    async close() {
      await a.close();
      await b.close();
      await database.remove();
    },
  };
}
