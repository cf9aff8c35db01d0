import type { ReadTurn } from '../../../access/turns.ts';
import type { PageCache } from '../../page-cache.ts';
import type { ListPlan } from '../../plans.ts';
import { ProjectGone, type Schema, type StoredCollection } from '../../schema.ts';
import { sqlAccounts } from '../../sql/accounts/accounts.ts';
import type { Connection } from '../../sql/dialect.ts';
import { Deletions } from '../../sql/records/deletions.ts';
import { findPosition } from '../../sql/records/find-position.ts';
import { findGiven } from '../../sql/records/kept-answers.ts';
import { loadRecords } from '../../sql/records/load-records.ts';
import { previewDelete } from '../../sql/records/preview-delete.ts';
import { updateRecord } from '../../sql/records/update-record.ts';
import { changeCollection } from '../../sql/schema/change-collection.ts';
import { createCollection } from '../../sql/schema/collections.ts';
import { deleteCollection } from '../../sql/schema/delete-collection.ts';
import { loadSchema, readSchemaVersion } from '../../sql/schema/load-schema.ts';
import { tables } from '../../sql/tables.ts';
import { raw, sql } from '../../sql/tag.ts';
import { sqlWebhooks } from '../../sql/webhooks/webhooks.ts';
import type { Store } from '../../store.ts';
import { gone, type ProjectDatabase } from './project-database.ts';
import { arrangeRecords, pickRecords } from './reads/arrange-records.ts';
import { DistinctValues } from './reads/distinct-values.ts';
import { ExpensiveReads } from './reads/expensive.ts';
import { withLongLists } from './reads/list-users.ts';
import { Pages } from './reads/pages.ts';
import { postgresLog } from './reads/read-log.ts';
import { listFromMark, listReads, listRecords } from './reads/read-records.ts';
import { checkVersion, schemaVersion } from './reads/schema-version.ts';
import { Views } from './reads/view-records.ts';
import { walkRecords } from './reads/walk-records.ts';
import { addForeignKeys, dropForeignKeys } from './tables/foreign-keys.ts';
import { countedApart } from './versions.ts';
import { writeBatch } from './writes/batches.ts';
import { GarbageCollector } from './writes/garbage.ts';
import { Inserts } from './writes/inserts.ts';

/** Milliseconds between checks for a large deletion whose node died. */
const lookAgain = 10_000;

/** A project in a PostgreSQL schema. Any number of processes can have it open at the same time. */
export function openPostgresStore(database: ProjectDatabase, cache: PageCache): Store {
  const { schemas } = database;
  const lists = listReads(schemas);
  const views = new Views(database);
  const pages = new Pages(database, cache);
  const distinct = new DistinctValues();
  const expensive = new ExpensiveReads(database);
  const inserts = new Inserts(database, schemas, database.deadline);
  const garbage = new GarbageCollector(database);
  const deletions = new Deletions(
    database,
    (work, waits) => database.largeDeletions.run(work, waits),
    lookAgain,
  );
  const readList = async (plan: ListPlan, turn: ReadTurn | undefined) => {
    const mark = lists.marks.find(schemas.collection(plan.collection), plan);
    const rest = mark && { ...plan, offset: plan.offset - mark.offset };
    const page = rest && (await expensive.read(rest, turn, (db) => listFromMark(db, lists, plan, mark)));
    return page ?? expensive.read(plan, turn, (db) => listRecords(db, lists, plan));
  };
  const collect = () => garbage.wake();
  garbage.wake();
  deletions.wake();
  database.searchUpkeep.watch();

  return {
    list: (plan, turn) => pages.list(plan, () => readList(plan, turn)),
    walk: (plan, turn) => expensive.read(plan, turn, (db) => walkRecords(db, schemas, plan)),
    arrange: (plan, turn) => expensive.read(plan, turn, (db) => arrangeRecords(db, schemas, plan)),
    pick: (plan) => database.read((db) => pickRecords(db, schemas, plan)),
    view: (plan) => views.view(plan),
    distinct: (plan, turn) => expensive.read(plan, turn, (db) => distinct.find(db, schemas, plan)),
    insert: (plan) => inserts.insert(plan),
    update: (plan) => database.write((transaction) => updateRecord(transaction, plan)),
    delete: (plan) => deletions.delete(plan),
    findPosition: (plan) =>
      database.read((db) => findPosition(db, schemas.collection(plan.collection), plan)),
    previewDelete: (plan) =>
      database.read((db) => previewDelete(db, schemas.collection(plan.collection), plan)),
    batch: (plan, signal) => deletions.batch(plan, () => writeBatch(database, schemas, plan, signal)),
    findKept: (idempotency) => database.accounts.read((db) => findGiven(db, idempotency)),
    load: (plan) => loadRecords(database, plan),
    accounts: withLongLists(sqlAccounts(database.accounts), database, expensive),
    log: postgresLog(database),
    webhooks: sqlWebhooks(database.accounts),
    schema: () => database.readTogether(readSchema).then((schema) => schemas.keep(schema), gone),
    schemaVersion: () => database.read(currentVersion).catch(gone),
    createCollection: (plan) =>
      database.changes.run(({ write }) =>
        write(async (transaction) => {
          const { db } = transaction;
          await createCollection(transaction, plan);
          const made = (await loadSchema(db)).collections.get(String(plan.definition.id));
          if (made) await addForeignKeys(db, made);
        }),
      ),
    changeCollection: (plan, progress) =>
      database.changes.run((writes) => changeCollection(writes, plan, progress)).finally(collect),
    deleteCollection: (plan) =>
      database.changes
        .run(({ write }) =>
          write(async (transaction) => {
            const collection = await deleteCollection(transaction, plan);
            await dropForeignKeys(transaction.db, collection);
          }),
        )
        .finally(collect),
    countRecords: (ref) => database.read((db) => countRecords(db, ref && schemas.collection(ref))),
    async close() {
      await Promise.all([garbage.stop(), deletions.stop(), database.searchUpkeep.stop()]);
    },
  };
}

async function readSchema(db: Connection): Promise<Schema> {
  const schema = await loadSchema(db);
  if (Number.isNaN(schema.version)) throw new ProjectGone();
  return schema;
}

async function currentVersion(db: Connection): Promise<number> {
  const version = await readSchemaVersion(db);
  if (Number.isNaN(version)) throw new ProjectGone();
  return version;
}

async function countRecords(db: Connection, collection: StoredCollection | undefined): Promise<number> {
  const which = collection ? sql` WHERE collection = ${collection.key}` : raw('');
  const row = await db.row(sql`
    SELECT ${schemaVersion},
      (SELECT sum(total + ${countedApart(raw('counters.collection'))}) FROM ${tables.counters}${which})`);
  if (collection) checkVersion(row?.[0], collection);
  return Number(row?.[1] ?? 0);
}
