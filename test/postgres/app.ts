import { openPostgresEngine } from '../../src/store/engines/postgres/engine.ts';
import { type AppOptions, startApp, type TestApp } from '../harness.ts';
import { freshDatabase } from '../postgres-server.ts';
import type { Storage } from '../storage.ts';

export interface PostgresApp extends TestApp {
  readonly url: string;
  /** What was logged beside errors. */
  readonly lines: readonly string[];
}

interface GivenDatabase {
  readonly url?: string;
  readonly pool?: number;
  readonly requestTimeout?: number;
  readonly statementTimeout?: number;
  readonly queryTimeout?: number;
}

/** The whole product over a database of its own, or over one that others use too. */
export async function startPostgresApp(
  given: GivenDatabase = {},
  options: AppOptions = {},
): Promise<PostgresApp> {
  const database = given.url === undefined ? await freshDatabase() : undefined;
  const url = given.url ?? database?.url ?? '';
  const lines: string[] = [];
  const log = { info: (line: string) => void lines.push(line) };
  const storage: Storage = {
    open: () => openPostgresEngine({ pool: 5, ...given, url, log }),
    remove: async () => database?.drop(),
  };
  const app = await startApp({ ...options, storage });
  return {
    ...app,
    url,
    lines,
    async close() {
      await app.close();
      await storage.remove();
    },
  };
}
