import { Failure } from '../../../failure.ts';
import { fieldType } from '../../../model/field-types.ts';
import type { StoredCollection, StoredRelation } from '../../schema.ts';
import type { Connection } from '../dialect.ts';
import { column, recordTable, valueTable } from '../names.ts';
import { type Sql, sql } from '../tag.ts';
import { readRecord, recordColumns, type StoredRecord } from './placed-record.ts';

/** Whether a record of the collection that a relation leads to is to be deleted. */
export type IsDoomed = (id: string) => boolean;

/** True of the records that refer to one of these ids by a relation. */
export function refersTo(
  { dialect }: Connection,
  { from, field }: StoredRelation,
  ids: readonly string[],
): Sql {
  const among = amongThese(dialect, ids);
  if (!fieldType(field).plural(field)) return sql`${column(from, field.name)} ${among}`;
  return sql`seq IN (SELECT seq FROM ${valueTable(from, field.name)} WHERE value ${among})`;
}

function amongThese(dialect: Connection['dialect'], ids: readonly string[]): Sql {
  const [only] = ids;
  return ids.length === 1 && only !== undefined ? sql`= ${only}` : sql`IN (${dialect.values(ids, 'text')})`;
}

/** A record that was found and not read yet: it may have megabytes. */
export interface Place {
  readonly seq: number;
  readonly id: string;
  readonly bytes: number;
}

/** Locks the records: what refers to them can be found only once nobody can begin to refer to them. */
export async function findPlaces(db: Connection, collection: StoredCollection, where: Sql): Promise<Place[]> {
  const rows = await db.rows(
    sql`SELECT seq, id, octet_length(json) FROM ${recordTable(collection)} WHERE ${where}${db.dialect.forUpdate}`,
  );
  return rows.map(([seq, id, bytes]) => ({ seq: Number(seq), id: String(id), bytes: Number(bytes) }));
}

/**
 * Of places that were found by `refersTo` those that still do. Where somebody was waited for who changed a record, PostgreSQL looks at
 * its row again, but not at those of its lists: it may have been given to others.
 */
export async function stillReferring(
  db: Connection,
  { from, field }: StoredRelation,
  ids: readonly string[],
  places: readonly Place[],
): Promise<readonly Place[]> {
  const { dialect } = db;
  const isCertain = dialect.forUpdate.text === '' || !fieldType(field).plural(field);
  if (isCertain || places.length === 0) return places;
  const seqs = dialect.values(
    places.map(({ seq }) => seq),
    'integer',
  );
  const rows = await db.rows(sql`
    SELECT seq FROM ${valueTable(from, field.name)} WHERE seq IN (${seqs}) AND value ${amongThese(dialect, ids)}`);
  const still = new Set(rows.map(([seq]) => Number(seq)));
  return places.filter(({ seq }) => still.has(seq));
}

/** In the order of creation. */
export async function readRecords(
  db: Connection,
  collection: StoredCollection,
  places: readonly Place[],
): Promise<StoredRecord[]> {
  if (places.length === 0) return [];
  const seqs = db.dialect.values(
    places.map(({ seq }) => seq),
    'integer',
  );
  return findRecords(db, collection, sql`seq IN (${seqs}) ORDER BY seq`);
}

/** Locks them as well. Only for a few, as they may be large. */
export async function findRecords(
  db: Connection,
  collection: StoredCollection,
  where: Sql,
): Promise<StoredRecord[]> {
  const rows = await db.rows(
    sql`SELECT ${recordColumns} FROM ${recordTable(collection)} WHERE ${where}${db.dialect.forUpdate}`,
  );
  return rows.map(readRecord);
}

/** Why a record that stays can't lose its references to deleted ones; undefined if it can. */
export function forbids(
  relation: StoredRelation,
  record: StoredRecord,
  isDoomed: IsDoomed,
): string | undefined {
  const { field } = relation;
  if (field.onDelete === 'restrict') return 'forbids it';
  const left = cleared(relation, record, isDoomed);
  const empty = left === null || left.length === 0;
  if (empty && field.required) return 'is required there';
  if (!empty && field.minItems !== undefined && left.length < field.minItems) {
    return `needs at least ${field.minItems} there`;
  }
  return undefined;
}

/** Whether any record could forbid a deletion by this relation. */
export const mayForbid = ({ field }: StoredRelation) =>
  field.onDelete === 'restrict' ||
  (field.onDelete !== 'cascade' && (field.required === true || field.minItems !== undefined));

/** The field's value without the records that are deleted. */
export function cleared(
  { field }: StoredRelation,
  record: StoredRecord,
  isDoomed: IsDoomed,
): string[] | null {
  const value = record.values[field.name];
  return Array.isArray(value) ? (value as string[]).filter((id) => !isDoomed(id)) : null;
}

/** Does not name the records: the caller may not be allowed to see them. */
export function restricted({ from, field }: StoredRelation, reason: string): Failure {
  const place = `${from.definition.id}.${field.name}`;
  return new Failure(
    'conflict',
    `Other records refer to it from ${place}, which ${reason}: change or delete them first`,
  );
}
