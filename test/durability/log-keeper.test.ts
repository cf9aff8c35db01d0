import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { Database } from '../../src/store/engines/sqlite/connection/database.ts';
import {
  openCheckpointer,
  openFile,
  openReader,
} from '../../src/store/engines/sqlite/connection/project-file.ts';
import { LogKeeper } from '../../src/store/engines/sqlite/writes/checkpoints.ts';
import { raw, sql, table } from '../../src/store/sql/tag.ts';
import { pause } from '../support.ts';

let directory: string;
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'vitrine-log-'));
});
after(() => rmSync(directory, { recursive: true, force: true }));

const pages = (db: Database) => Number(db.row(raw('PRAGMA wal_checkpoint(NOOP)'))?.[1]);

/** Commits of a hundred pages each, as a writer does it, until so many were written. Says how long the log was at most. */
async function write(db: Database, log: LogKeeper, most: number): Promise<number> {
  let longest = 0;
  for (let written = 0; written < most; written += 100) {
    db.transaction('BEGIN IMMEDIATE', () => {
      for (let row = 0; row < 100; row++)
        db.run(sql`INSERT INTO ${table('blobs')} (text) VALUES (${'x'.repeat(4_000)})`);
    });
    longest = Math.max(longest, pages(db));
    if (log.isLong()) log.beginAnew();
    await new Promise((resolve) => setTimeout(resolve, written % 1_000 === 0 ? 6 : 0));
  }
  return longest;
}

/** How long a log gets that nobody copies beside the writer, while four always read, and how long one of them read at most. */
async function writeBesideReaders(path: string): Promise<{ longest: number; read: number }> {
  const { sqlite } = await loadRuntime();
  const create = (made: Database) => made.exec('CREATE TABLE blobs (n INTEGER PRIMARY KEY, text TEXT)');
  const db = openFile(sqlite, path, create);
  const log = new LogKeeper(db, undefined);
  const reads = Array.from({ length: 4 }, () => new Int32Array(new SharedArrayBuffer(4)));
  const readers = reads.map(
    (longest) =>
      new Worker(new URL('./reading-thread.ts', import.meta.url), { workerData: { path, longest } }),
  );
  let longest: number;
  try {
    await Promise.all(readers.map((reader) => once(reader, 'message')));
    longest = await write(db, log, 40_000);
  } finally {
    const ended = readers.map((reader) => once(reader, 'exit'));
    for (const reader of readers) reader.postMessage('stop');
    await Promise.all(ended);
    db.close();
  }
  return { longest, read: Math.max(...reads.map(([most = 0]) => most)) };
}

it('a log that nobody copies beside the writer is begun anew though somebody always reads what is in it', async () => {
  let seen = { longest: Number.POSITIVE_INFINITY, read: Number.POSITIVE_INFINITY };
  // The writer waits 20 ms for a read of some 3: one that the machine kept from ending for longer rightly holds the log.
  for (let tries = 0; tries < 6 && seen.longest >= 20_000 && seen.read >= 20; tries++)
    seen = await writeBesideReaders(join(directory, `alone-${tries}.db`));
  assert.ok(seen.longest < 20_000, `${seen.longest} pages, the longest read ${seen.read} ms`);
});

it('a log that somebody read for too long is tried again soon after, and begun anew', async () => {
  const { sqlite } = await loadRuntime();
  const path = join(directory, 'held.db');
  const create = (made: Database) => made.exec('CREATE TABLE blobs (n INTEGER PRIMARY KEY, text TEXT)');
  const db = openFile(sqlite, path, create);
  const log = new LogKeeper(db, undefined);
  const reader = openReader(sqlite, path);
  try {
    await reader.snapshot(async () => {
      reader.row(raw('SELECT count(*) FROM blobs'));
      await write(db, new LogKeeper(db, undefined), 9_000);
      assert.ok(log.isLong());
      log.beginAnew();
      assert.ok(pages(db) > 9_000, 'not while it is read');
    });
    await pause(60);
    assert.ok(log.isLong(), 'looked at again');
    log.beginAnew();
    await write(db, log, 100);
    assert.ok(pages(db) < 1_000, `${pages(db)} pages`);
  } finally {
    reader.close();
    db.close();
  }
});

it('a log that is copied beside the writer is begun anew, and grows on while somebody reads what is in it', async () => {
  const { sqlite } = await loadRuntime();
  const path = join(directory, 'file.db');
  const create = (made: Database) => made.exec('CREATE TABLE blobs (n INTEGER PRIMARY KEY, text TEXT)');
  const db = openFile(sqlite, path, create);
  const checkpointer = openCheckpointer(sqlite, path);
  let copied = 0;
  const log = new LogKeeper(db, {
    copy: async () => {
      copied += 1;
      checkpointer.copy();
    },
    close: async () => checkpointer.close(),
  });
  const reader = openReader(sqlite, path);
  const count = (by: Database) => Number(by.row(raw('SELECT count(*) FROM blobs'))?.[0]);
  try {
    const longest = await write(db, log, 20_000);
    assert.ok(longest < 16_000, `${longest} pages`);
    assert.ok(copied > 0);
    await reader.snapshot(async () => {
      const seen = count(reader);
      const held = await write(db, log, 12_000);
      assert.ok(held > 12_000, `${held} pages, though what was read is still in the log`);
      assert.equal(count(reader), seen);
    });
    assert.equal(count(reader), 32_000);
    assert.deepEqual(db.row(raw('PRAGMA integrity_check')), ['ok']);
  } finally {
    reader.close();
    await log.close();
    db.close();
  }
});
