import type { Authority } from '../../../access/authority.ts';
import type { Awaitable } from '../../../awaitable.ts';
import type { Accounts } from '../../accounts.ts';
import { isInIndex } from '../../index-order.ts';
import { Schemas } from '../../known-schemas.ts';
import type { PageCache } from '../../page-cache.ts';
import type { StoredCollection } from '../../schema.ts';
import { sqlAccounts } from '../../sql/accounts/accounts.ts';
import { readSession, sessionQuery } from '../../sql/accounts/sessions.ts';
import { findPosition } from '../../sql/records/find-position.ts';
import { findGiven } from '../../sql/records/kept-answers.ts';
import { previewDelete } from '../../sql/records/preview-delete.ts';
import { loadSchema } from '../../sql/schema/load-schema.ts';
import { tables } from '../../sql/tables.ts';
import { raw, sql } from '../../sql/tag.ts';
import { sqlWebhooks } from '../../sql/webhooks/webhooks.ts';
import type { Store } from '../../store.ts';
import type { Webhooks } from '../../webhooks.ts';
import type { Database } from './connection/database.ts';
import type { SqliteDriver } from './connection/driver.ts';
import { translate } from './connection/faults.ts';
import { openReader } from './connection/project-file.ts';
import type { Readers } from './readers/readers.ts';
import { ChangeFollower } from './reads/change-follower.ts';
import { CompiledLists } from './reads/compiled-lists.ts';
import { type CostLimits, Costs } from './reads/costs.ts';
import { checkSchema, countersOf, currentVersion, readCounters } from './reads/current-schema.ts';
import { DistinctValues } from './reads/distinct-values.ts';
import { expensiveReads } from './reads/expensive.ts';
import { IndexMarks } from './reads/index-marks.ts';
import { KnownRecords } from './reads/known-records.ts';
import { LastingPages, type PageBasis } from './reads/lasting-pages.ts';
import { listFirst, wayOfUsers } from './reads/list-users.ts';
import { pickRecords } from './reads/pick-records.ts';
import { LogReader } from './reads/read-log.ts';
import { listRecords, viewRecord } from './reads/read-records.ts';
import type { RecordCache } from './reads/record-cache.ts';
import { orderOf } from './reads/sliced/compare.ts';
import { walkRecords } from './reads/sliced/walk.ts';
import { Totals } from './reads/totals.ts';
import { neverHere, remoteAccounts, remoteWebhooks } from './writes/remote-calls.ts';
import type { ProjectWrites, Writers } from './writes/writers.ts';

/** What all projects of an instance share for reading. */
export interface StoreReads {
  readonly readers: Readers;
  readonly limits: CostLimits;
  readonly pages: PageCache<PageBasis>;
  readonly records: RecordCache;
  /** Whether other processes write to the files too. */
  readonly isShared: boolean;
}

/** A project in one SQLite file: read here, written by the one writer for all. */
export async function openSqliteStore(
  driver: SqliteDriver,
  writers: Writers,
  { readers, limits, pages, records, isShared }: StoreReads,
  path: string,
): Promise<Store> {
  const opened = await writers.open(path);
  const reader = await openReaderOrClose(opened, () => openReader(driver, path, isShared));
  const writes = seenBy(reader, opened);
  let walking: Database | undefined;
  const walker = () => {
    walking ??= openReader(driver, path);
    return walking;
  };
  const schemas = new Schemas();
  const reads = readers.open(path);
  const expensive = expensiveReads(reads);
  const follower = new ChangeFollower(reader);
  const known = new KnownRecords(follower, records);
  const marks = new IndexMarks();
  const costs = new Costs(reader, limits, marks);
  const lists = {
    ...{ db: reader, schemas, totals: new Totals(reader), pages, lists: new CompiledLists() },
    ...{ costs, marks, expensive, lasting: new LastingPages(reader, follower, pages) },
  };
  const distinct = new DistinctValues(reader);
  const log = new LogReader(() => openReader(driver, path), schemas);
  /** How to perform a read, given the current state of its collection. */
  const decide = (collection: StoredCollection, plan: Parameters<Costs['wayOf']>[1]) => {
    return reader.transaction('BEGIN', () => {
      const counters = readCounters(reader, collection, countersOf(collection));
      return { counters, way: costs.wayOf(collection, plan, counters) };
    });
  };

  const readNow = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      reader.release();
      throw translate(error);
    }
  };
  const read = async <T>(work: (db: Database) => Awaitable<T>): Promise<T> => {
    try {
      return await work(reader);
    } catch (error) {
      reader.release();
      throw translate(error);
    }
  };

  const accountReads = sqlAccounts({ read, write: () => neverHere() });
  const accountsAs = (authority: Authority | undefined): Accounts => ({
    ...accountReads,
    ...remoteAccounts(writes, authority),
    as: accountsAs,
    listUsers: (page, which, turn) =>
      read((db) => {
        const way = wayOfUsers(db, { page, which });
        if (way === 'long') return expensive('users', { page, which }, turn);
        return way === 'first' ? listFirst(db, page) : accountReads.listUsers(page, which);
      }),
    // Begins no snapshot of its own: the log is read through another connection, which a held snapshot would lag behind.
    findSession: (id, workspace) =>
      readNow(() => readSession(reader.once(sessionQuery(id, workspace), `session ${id} ${workspace}`))),
  });

  const webhooksAs = (authority: Authority | undefined): Webhooks => ({
    ...sqlWebhooks({ read, write: () => neverHere() }),
    ...remoteWebhooks(writes, authority),
    as: webhooksAs,
  });

  return {
    list: (plan, turn) => readNow(() => listRecords(lists, plan, turn)),
    walk: (plan, turn) =>
      read(() => {
        const collection = schemas.collection(plan.collection);
        const { way } = decide(collection, plan);
        const bound = typeof way === 'object' ? way.by : undefined;
        const found = way === 'elsewhere' ? undefined : walkRecords(walker(), collection, plan, bound);
        return found ?? expensive('walk', plan, turn);
      }),
    arrange: (plan, turn) =>
      read(() => {
        const collection = schemas.collection(plan.collection);
        const walked = orderOf(plan.sort).keys.length === 0 || isInIndex(collection, plan);
        return walked ? undefined : expensive('arrange', plan, turn);
      }),
    pick: (plan) => read(() => pickRecords(walker(), schemas, plan)),
    view: (plan) => readNow(() => viewRecord(reader, schemas, known, plan)),
    distinct: (plan, turn) =>
      read(async () => {
        const collection = schemas.collection(plan.collection);
        const { counters, way } = decide(collection, { ...plan, offset: 0 });
        const known = distinct.recall(counters.version, plan);
        if (known) return known;
        if (way !== 'elsewhere' && costs.isSmall(collection, counters))
          return distinct.find(collection, plan);
        const { version, values } = await expensive('distinct', plan, turn);
        distinct.keep(version, plan, values);
        return values;
      }),
    insert: (plan) => writes.perform('insert', plan),
    update: (plan) => writes.perform('update', plan),
    delete: (plan) => writes.perform('delete', plan),
    findPosition: (plan) => read((db) => findPosition(db, schemas.collection(plan.collection), plan)),
    previewDelete: (plan) => read((db) => previewDelete(db, schemas.collection(plan.collection), plan)),
    batch: (plan) => writes.perform('batch', plan),
    findKept: (idempotency) => read((db) => findGiven(db, idempotency)),
    load: (plan) => writes.load(plan),
    accounts: accountsAs(undefined),
    log: {
      ...{
        read: log.read,
        entries: log.entries,
        logged: log.logged,
        newest: log.newest,
        findRevoked: log.findRevoked,
      },
      forget: (before) => writes.perform('forgetChanges', { before }),
      watch: (changed) => writes.watch(changed),
    },
    webhooks: webhooksAs(undefined),
    schema: () => read(async (db) => schemas.keep(await loadSchema(renewed(db)))),
    schemaVersion: () => read((db) => currentVersion(renewed(db))),
    createCollection: (plan) => writes.perform('createCollection', plan),
    changeCollection: (plan, progress) => writes.perform('changeCollection', plan, progress),
    deleteCollection: (plan) => writes.perform('deleteCollection', plan),
    countRecords: (collection) =>
      read((db) =>
        db.transaction('BEGIN', () => {
          if (collection) checkSchema(db, schemas.collection(collection));
          const where = collection ? sql` WHERE collection = ${collection.key}` : raw('');
          return Number(db.row(sql`SELECT sum(total) FROM ${tables.counters}${where}`)?.[0] ?? 0);
        }),
      ),
    async close() {
      await reads.close();
      await log.close();
      walking?.close();
      reader.close();
      known.close();
      await writes.close();
    },
  };
}

async function openReaderOrClose(writes: ProjectWrites, open: () => Database): Promise<Database> {
  try {
    return open();
  } catch (error) {
    await writes.close();
    throw error;
  }
}

/** Releases the held snapshot, which may be older, for a caller who found that the schema has changed. */
function renewed(reader: Database): Database {
  reader.release();
  return reader;
}

/** Makes sure that whoever is told of a write also sees it. */
function seenBy(reader: Database, writes: ProjectWrites): ProjectWrites {
  const released = <T>(answer: T): T => {
    reader.release();
    return answer;
  };
  const failed = (error: unknown): never => {
    reader.release();
    throw error;
  };
  return {
    perform: (kind, plan, progress) => writes.perform(kind, plan, progress).then(released, failed),
    load: (plan) => writes.load(plan).then(released, failed),
    watch: (changed) => writes.watch(changed),
    close: () => writes.close(),
  };
}
