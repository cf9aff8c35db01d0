import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadRuntime } from '../src/runtime/load-runtime.ts';
import { startReaderThreads } from '../src/runtime/readers.ts';
import { startWriterThread, type WriterThread } from '../src/runtime/writers.ts';
import type { Engine } from '../src/store/engine.ts';
import { openPostgresEngine } from '../src/store/engines/postgres/engine.ts';
import { type EngineOptions, openSqliteEngine } from '../src/store/engines/sqlite/engine.ts';
import { costLimits } from '../src/store/engines/sqlite/reads/costs.ts';
import type { Writers } from '../src/store/engines/sqlite/writes/writers.ts';
import { freshDatabase } from './postgres-server.ts';

/** Which engine the tests run on: they are the same for both. */
export const testEngine = process.env.VITRINE_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';

/**
 * How many cases a test draws: fewer on PostgreSQL, where a request takes several times as long, and half where the same test
 * draws others on Bun and SQLite beside it.
 */
export function drawn(variable: 'VITRINE_WORLDS' | 'VITRINE_RUNS', many: number, few: number): number {
  const again = !('Bun' in globalThis) || process.env.VITRINE_TEST_READS === 'elsewhere';
  return Number(
    process.env[variable] ?? (testEngine === 'postgres' ? few : again ? Math.ceil(many / 2) : many),
  );
}

/** Where the data of a test is; any number of nodes may open it. */
export interface Storage {
  /** `clock`: milliseconds by which processes wait for each other. */
  open(clock?: () => number): Engine;
  /** After every engine is closed. */
  remove(): Promise<void>;
}

/** That a process of the product can use too. */
export interface NamedStorage extends Storage {
  /** What such a process is told on its command line. */
  readonly flags: readonly string[];
}

export function startStorage(engine = testEngine): Promise<NamedStorage> {
  return engine === 'postgres' ? postgresStorage() : sqliteStorage();
}

/** The name of its database, on PostgreSQL. */
export function databaseOf({ flags: [name, address = ''] }: NamedStorage): string | undefined {
  return name === '--database' ? new URL(address).pathname.slice(1) : undefined;
}

/** In memory where a run has room there: tests wait for thousands of syncs otherwise, which are of no use to most. */
export const room = process.env.VITRINE_TEST_ROOM ?? tmpdir();

/** `writers`: for each engine its own, in place of the thread that all of a process share. */
export async function sqliteStorage(writers: () => Writers = shareWriters): Promise<NamedStorage> {
  const { sqlite } = await loadRuntime();
  const directory = await mkdtemp(join(room, 'vitrine-test-'));
  return {
    flags: ['--data', directory],
    open: (clock) => openSqliteEngine(sqlite, directory, writers(), { ...readsElsewhere(), clock }),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/**
 * `VITRINE_TEST_READS=elsewhere`: no read is cheap enough for the thread that serves, so that all that can be is done by others;
 * `bounded`: only what an index bounds is, however few records there are.
 */
function readsElsewhere(): EngineOptions {
  if (process.env.VITRINE_TEST_READS === 'bounded')
    return { limits: { ...costLimits, records: -1, texts: costLimits.entries } };
  if (process.env.VITRINE_TEST_READS !== 'elsewhere') return {};
  const failed = (error: unknown) => {
    throw error;
  };
  return {
    readers: startReaderThreads({ threads: 1, timeout: 60_000, failed }),
    limits: { records: -1, texts: -1, entries: -1, including: 0 },
  };
}

/**
 * More than the product has by default, which `test/postgres` tries: a machine that stands still for some seconds makes no
 * answer wrong, and what may take how long is measured by those who say so.
 */
export const patientTimes = { requestTimeout: 60_000, statementTimeout: 50_000 };

async function postgresStorage(): Promise<NamedStorage> {
  const { url, drop } = await freshDatabase();
  return {
    flags: ['--database', url],
    open: (clock) => openPostgresEngine({ url, log: { info() {} }, pool: 6, clock, ...patientTimes }),
    remove: drop,
  };
}

let thread: WriterThread | undefined;
let sharing = 0;

/** One thread writes for all apps of a test process, which ends without waiting for it. */
function shareWriters(): Writers {
  thread ??= startWriterThread({
    failed(error) {
      throw error;
    },
  });
  const shared = thread;
  sharing += 1;
  shared.keepAlive(true);
  return {
    ...shared,
    async close() {
      sharing -= 1;
      if (sharing === 0) shared.keepAlive(false);
    },
  };
}
