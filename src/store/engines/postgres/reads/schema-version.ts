import type { ColumnValue } from '../../../../model/field.ts';
import { ProjectGone, StaleSchema, type StoredCollection } from '../../../schema.ts';
import { tables } from '../../../sql/tables.ts';
import { sql } from '../../../sql/tag.ts';

/** Selected by every read, so that it is a single statement: one round trip, and one snapshot for the whole answer. */
export const schemaVersion = sql`(SELECT value FROM ${tables.meta} WHERE name = 'schema')`;

/** Refuses what was read under another schema than it was planned for. */
export function checkVersion(version: ColumnValue | undefined, collection: StoredCollection): void {
  if (version === null || version === undefined) throw new ProjectGone();
  if (version !== collection.ref.version) throw new StaleSchema();
}
