import type { Collection } from '../../../model/collection.ts';
import type { Schema } from '../../schema.ts';
import { raw, sql } from '../../sql/tag.ts';
import type { Store } from '../../store.ts';
import { sqliteAccounts } from './accounts/accounts.ts';
import { createAccountTables } from './accounts/tables.ts';
import { arrangeRecords, pickRecords } from './arrange-records.ts';
import { createIdempotencyTable, findKept, runBatch } from './batch.ts';
import { changeCollection, deleteCollection, forgetInterrupted } from './change-collection.ts';
import { createCollection, createProjectTables, loadSchema } from './collections.ts';
import type { Database } from './database.ts';
import { deleteRecord } from './delete-records.ts';
import { DistinctValues } from './distinct-values.ts';
import type { SqliteDriver } from './driver.ts';
import { translate } from './faults.ts';
import { GarbageCollector } from './garbage.ts';
import { loadRecords } from './load-records.ts';
import { openFile, openReader } from './project-file.ts';
import { listRecords, viewRecord, walkRecords } from './read-records.ts';
import { SearchIndexer } from './search-indexer.ts';
import { Totals } from './totals.ts';
import { insertRecord, updateRecord } from './write-records.ts';
import { Writer, type WriteStep } from './writer.ts';

/** A project in one SQLite file: a connection for reads and one for the writes, which commit in groups. */
export function openSqliteStore(driver: SqliteDriver, path: string): Store {
  const written = openFile(driver, path, (db) => {
    createProjectTables(db);
    createAccountTables(db);
    createIdempotencyTable(db);
  });
  const reader = closedOnFailure([written], () => openReader(driver, path));
  const totals = new Totals(reader);
  const distinct = new DistinctValues(reader);
  const writer = new Writer(written, (collections) => indexer.wake(collections));
  const indexer = new SearchIndexer(writer);
  const garbage = new GarbageCollector(writer);
  closedOnFailure([reader, written], () => {
    written.transaction('BEGIN IMMEDIATE', () => forgetInterrupted(written));
    indexer.wake(collectionKeys(reader)); // what an earlier process left to be indexed
  });
  garbage.wake();

  const read = async <T>(work: (db: Database) => T): Promise<T> => {
    try {
      return work(reader);
    } catch (error) {
      throw translate(error);
    }
  };
  const guarded = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw translate(error);
    });
  const write = <T>(step: WriteStep<T>): Promise<T> => guarded(writer.write(step));

  return {
    list: (plan) => read(() => listRecords(reader, totals, plan)),
    walk: (plan) => read(() => walkRecords(reader, plan)),
    arrange: (plan) => read((db) => arrangeRecords(db, plan)),
    pick: (plan) => read((db) => pickRecords(db, plan)),
    view: (plan) => read(() => viewRecord(reader, plan)),
    distinct: (plan) => read(() => distinct.find(plan)),
    insert: (plan) => write((transaction) => insertRecord(transaction, plan)),
    update: (plan) => write((transaction) => updateRecord(transaction, plan)),
    delete: (plan) => write((transaction) => deleteRecord(transaction, plan)),
    batch: (plan) => write((transaction) => runBatch(transaction, plan)),
    findKept: (idempotency) => read((db) => findKept(db, idempotency)),
    load: (plan) => guarded(loadRecords(writer, plan)),
    accounts: sqliteAccounts({ read, write }),
    schema: (): Promise<Schema> => read(() => loadSchema(reader)),
    changeCollection: (plan) =>
      guarded(changeCollection(writer, plan)).finally(() => {
        garbage.wake();
        read((db) => indexer.wake(collectionKeys(db))).catch(() => {}); // the change is made; the next start will
      }),
    deleteCollection: (collection) =>
      write((transaction) => deleteCollection(transaction, collection)).finally(() => garbage.wake()),
    countRecords: (collection) =>
      read((db) => {
        const where = collection ? sql` WHERE collection = ${collection.key}` : raw('');
        return Number(db.row(sql`SELECT sum(total) FROM counters${where}`)?.[0] ?? 0);
      }),
    createCollection: (definition: Collection) =>
      write((transaction) => createCollection(transaction, definition)),
    async close() {
      garbage.stop();
      indexer.stop();
      try {
        writer.flush();
        reader.close();
        written.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } finally {
        written.close();
      }
    },
  };
}

/** Opening that fails leaves no connection behind, least of all a second one that writes. */
function closedOnFailure<T>(connections: readonly Database[], open: () => T): T {
  try {
    return open();
  } catch (error) {
    for (const db of connections) db.close();
    throw error;
  }
}

function collectionKeys(db: Database): number[] {
  return db.rows(raw('SELECT key FROM collections')).map(([key]) => Number(key));
}
