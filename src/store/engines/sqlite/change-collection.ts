import { invalid } from '../../../failure.ts';
import { compileCarry, originOf, type Renames } from '../../../model/carry.ts';
import type { Collection } from '../../../model/collection.ts';
import { keepsSearch } from '../../../model/schema-diff.ts';
import { writeCollection } from '../../../model/write-collection.ts';
import type { ChangeAnswer, ChangePlan } from '../../plans.ts';
import { buildSchema, StaleSchema, type StoredCollection } from '../../schema.ts';
import { raw, sql } from '../../sql/tag.ts';
import { forgetAnswers } from './batch.ts';
import { definitionText, fieldKeysText, makeTables, refuseTaken } from './collections.ts';
import type { Database } from './database.ts';
import { Rebuild } from './rebuild.ts';
import { renameSearchTables } from './search.ts';
import { readSchemaVersion, type Transaction, type Writer } from './writer.ts';

const chunk = 200;

/**
 * Replaces a collection's definition. Where records have to change, a second set of tables is filled beside the
 * first, a few records at a time between the requests; what is written meanwhile is noted by triggers and done
 * again; and at the end one transaction puts the new tables in the place of the old. Until then nobody
 * sees anything of it, and a crash or a contradiction leaves everything as it was.
 */
export async function changeCollection(writer: Writer, plan: ChangePlan): Promise<ChangeAnswer> {
  if (!plan.steps.some(({ rebuild }) => rebuild)) return changeDefinition(writer, plan);
  const rebuild = await writer.write((transaction) => begin(transaction, plan));
  try {
    for (let more = true; more; ) {
      more = await writer.write(({ db }) => rebuild.copy(db, chunk));
      plan.progress(rebuild.done, rebuild.total);
    }
    for (let more = true; more; ) more = await writer.write(({ db }) => rebuild.catchUp(db, chunk));
    return await writer.write((transaction) => {
      rebuild.catchUp(transaction.db, Number.MAX_SAFE_INTEGER);
      rebuild.retryMisfits(transaction.db);
      if (rebuild.contradiction || plan.dryRun) abandon(transaction.db, plan, rebuild);
      else finish(transaction, plan, rebuild.shadow);
      return { held: rebuild.held, total: rebuild.total, contradiction: rebuild.contradiction };
    });
  } catch (error) {
    await writer.write(({ db }) => abandon(db, plan, rebuild));
    throw error;
  }
}

/** What says only how records are used is a line in the catalogue. */
function changeDefinition(writer: Writer, { from, to, dryRun }: ChangePlan): Promise<ChangeAnswer> {
  return writer.write((transaction) => {
    const { db } = transaction;
    transaction.check(from);
    if (to.id !== from.definition.id) refuseTaken(db, to.id);
    if (!dryRun) {
      db.run(
        sql`UPDATE collections SET id = ${to.id}, definition = ${definitionText(to)} WHERE key = ${from.key}`,
      );
      renameInRelations(db, from, to.id);
      transaction.schemaChanged();
    }
    return { held: new Map(), total: 0, contradiction: undefined };
  });
}

function begin(transaction: Transaction, { from, to, renames }: ChangePlan): Rebuild {
  const { db } = transaction;
  transaction.check(from);
  if (to.id !== from.definition.id) refuseTaken(db, to.id);
  checkDefaults(db, from, to, renames);
  stopNoting(db, from.key); // of a change whose end failed too
  const row = makeTables(db, to);
  // Not to be collected yet, but by the next start, should this one end before the change does.
  db.run(sql`INSERT INTO garbage (key, ready) VALUES (${row.key}, 0)`);
  db.exec(`CREATE TABLE m${from.key} (seq INTEGER PRIMARY KEY)`);
  for (const [event, seq] of [
    ['INSERT', 'new'],
    ['UPDATE', 'new'],
    ['DELETE', 'old'],
  ] as const) {
    db.exec(`
      CREATE TRIGGER m${from.key}_${event.toLowerCase()} AFTER ${event} ON r${from.key}
      BEGIN INSERT OR IGNORE INTO m${from.key} (seq) VALUES (${seq}.seq); END`);
  }
  const shadow = buildSchema(0, [row]).collections.get(to.id);
  if (!shadow) throw new Error('the new definition has no tables');
  const total = transaction.counter(from).total;
  const carry = compileCarry(from.definition, to, renames);
  return new Rebuild(from, shadow, carry, !keepsSearch(from.definition, to, renames), total);
}

/** A new relation takes its default in every record, so that has to exist. */
function checkDefaults(db: Database, from: StoredCollection, to: Collection, renames: Renames): void {
  for (const field of to.fields.values()) {
    if (field.type !== 'relation' || field.default === undefined || originOf(from.definition, field, renames))
      continue;
    const target = field.to === to.id ? from.definition.id : field.to;
    const key = db.row(sql`SELECT key FROM collections WHERE id = ${target}`)?.[0];
    for (const id of [field.default].flat() as string[]) {
      if (db.row(sql`SELECT 1 FROM ${raw(`r${Number(key)}`)} WHERE id = ${id}`)) continue;
      throw invalid([
        { at: `fields.${field.name}.default`, message: `there is no record '${id}' in ${field.to}` },
      ]);
    }
  }
}

function abandon(db: Database, { from }: ChangePlan, { shadow }: Rebuild): void {
  stopNoting(db, from.key);
  db.run(sql`UPDATE garbage SET ready = 1 WHERE key = ${shadow.key}`);
}

function stopNoting(db: Database, key: number): void {
  for (const event of ['insert', 'update', 'delete']) db.exec(`DROP TRIGGER IF EXISTS m${key}_${event}`);
  db.exec(`DROP TABLE IF EXISTS m${key}`);
}

function finish(transaction: Transaction, { from, to, renames }: ChangePlan, shadow: StoredCollection): void {
  const { db } = transaction;
  transaction.check(from);
  const { total, seq, created } = transaction.counter(from);
  stopNoting(db, from.key);
  db.run(sql`DELETE FROM counters WHERE collection = ${from.key}`);
  db.run(sql`
    INSERT INTO counters (collection, total, seq, created, version)
    VALUES (${shadow.key}, ${total}, ${seq}, ${created}, 0)`);
  db.run(sql`
    UPDATE collections
    SET key = ${shadow.key}, id = ${to.id}, definition = ${definitionText(to)}, field_keys = ${fieldKeysText(shadow)}
    WHERE key = ${from.key}`);
  if (keepsSearch(from.definition, to, renames)) renameSearchTables(db, from.key, shadow.key);
  renameInRelations(db, from, to.id);
  db.run(sql`UPDATE garbage SET key = ${from.key}, ready = 1 WHERE key = ${shadow.key}`);
  transaction.schemaChanged();
}

/** Other collections' relations follow when a collection gets another name. */
function renameInRelations(db: Database, from: StoredCollection, id: string): void {
  if (id === from.definition.id) return;
  forgetAnswers(db, from.definition.id);
  for (const referrer of new Set(from.referrers.map((relation) => relation.from))) {
    if (referrer.key === from.key) continue;
    const definition = writeCollection(referrer.definition) as { fields: Record<string, { to?: string }> };
    const fields = Object.entries(definition.fields).map(([name, field]) => {
      return [name, field.to === from.definition.id ? { ...field, to: id } : field];
    });
    const text = JSON.stringify({ ...definition, fields: Object.fromEntries(fields) });
    db.run(sql`UPDATE collections SET definition = ${text} WHERE key = ${referrer.key}`);
  }
}

export function deleteCollection(transaction: Transaction, collection: StoredCollection): void {
  const { db } = transaction;
  if (readSchemaVersion(db) !== collection.schemaVersion) throw new StaleSchema();
  db.run(sql`DELETE FROM collections WHERE key = ${collection.key}`);
  db.run(sql`DELETE FROM counters WHERE collection = ${collection.key}`);
  db.run(sql`INSERT INTO garbage (key, ready) VALUES (${collection.key}, 1)`);
  forgetAnswers(db, collection.definition.id);
  transaction.schemaChanged();
}

/** After a crash: the triggers of changes that were under way. What else they left is garbage. */
export function forgetInterrupted(db: Database): void {
  const tables = db.rows(
    raw("SELECT substr(name, 2) FROM sqlite_schema WHERE type = 'table' AND name GLOB 'm[0-9]*'"),
  );
  for (const [key] of tables) stopNoting(db, Number(key));
  db.run(raw('UPDATE garbage SET ready = 1'));
}
