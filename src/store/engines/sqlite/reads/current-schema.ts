import { ProjectGone, StaleSchema, type StoredCollection } from '../../../schema.ts';
import { tables } from '../../../sql/tables.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { namedStatement } from './named-statement.ts';

const currentSchema = sql`SELECT value FROM ${tables.meta} WHERE name = 'schema'`;

/** Version of the schema as seen by the transaction. */
export function currentVersion(db: Database): number {
  const version = Number(db.once(currentSchema)?.[0]);
  if (version < 0) throw new ProjectGone();
  return version;
}

/** Throws StaleSchema if the collection is of another schema version. What is read in the same transaction is of this version. */
export function checkSchema(db: Database, { ref }: StoredCollection): void {
  if (currentVersion(db) !== ref.version) throw new StaleSchema();
}

/** For `readCounters`. `related`: other collections whose versions are needed too. */
export function countersOf(collection: StoredCollection, related: readonly StoredCollection[] = []): Sql {
  const keys = related.length === 0 ? '' : [...new Set(related.map(({ key }) => key))].join(', ');
  return namedStatement(collection, `counters ${keys}`, [], () => {
    const versions = sql`(SELECT group_concat(version) FROM ${tables.counters} WHERE collection IN (${raw(keys)}))`;
    return sql`
      SELECT version, total, seq, ${keys === '' ? raw("''") : versions} FROM ${tables.counters}
      WHERE collection = ${raw(String(collection.key))}`;
  });
}

export interface ReadCounters {
  /** Changes whenever a record does. */
  readonly version: number;
  readonly total: number;
  /** The last sequence number given out. */
  readonly seq: number;
  /** Including the versions of the related collections. */
  readonly versions: string;
}

/** Also checks the schema. Needs a snapshot, unless it does not matter if counters and schema are read at different times. */
export function readCounters(db: Database, collection: StoredCollection, counters: Sql): ReadCounters {
  checkSchema(db, collection);
  const row = db.once(counters);
  if (!row) throw new StaleSchema();
  const [version, total, seq, related] = row;
  return {
    version: Number(version),
    total: Number(total),
    seq: Number(seq),
    versions: `${version} ${related}`,
  };
}
