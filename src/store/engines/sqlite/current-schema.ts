import { ProjectGone, StaleSchema, type StoredCollection } from '../../schema.ts';
import { raw, type Sql, sql } from '../../sql/tag.ts';
import type { Database } from './database.ts';

const currentSchema = raw("SELECT value FROM meta WHERE name = 'schema'");

/** Of the schema, as the transaction sees it. */
export function currentVersion(db: Database): number {
  const version = Number(db.row(currentSchema)?.[0]);
  if (version < 0) throw new ProjectGone();
  return version;
}

/** Throws StaleSchema for a collection of another schema. What is read in the same transaction is read under it. */
export function checkSchema(db: Database, { schemaVersion }: StoredCollection): void {
  if (currentVersion(db) !== schemaVersion) throw new StaleSchema();
}

/** The same as part of a statement, which then finds nothing. */
export function isCurrent({ schemaVersion }: StoredCollection): Sql {
  return raw(`(${currentSchema.text}) = ${schemaVersion}`);
}

/** For readCounters. */
export function countersOf(collection: StoredCollection): Sql {
  return sql`
    SELECT version, total, seq FROM counters
    WHERE collection = ${collection.key} AND ${isCurrent(collection)}`;
}

/** The version of the collection's records, how many there are, and the last number given. Checks the schema too. */
export function readCounters(
  db: Database,
  collection: StoredCollection,
  counters: Sql,
): [version: number, total: number, seq: number] {
  const row = db.row(counters);
  if (!row) {
    checkSchema(db, collection);
    throw new StaleSchema();
  }
  const [version = 0, total = 0, seq = 0] = row.map(Number);
  return [version, total, seq];
}
