import { type Awaitable, orElse } from '../../../awaitable.ts';
import { Failure, type Issue } from '../../../failure.ts';
import { fieldType } from '../../../model/field-types.ts';
import type { Values } from '../../../model/payload.ts';
import { perCollection } from '../../cache.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Connection } from '../dialect.ts';
import { recordTable } from '../names.ts';
import { join, raw, type Sql, sql } from '../tag.ts';
import { type FoldedKey, keysOf } from './folded-keys.ts';

/** Fields whose values, taken together, must be unique; by a folded key if there is an email among them. */
interface Unique {
  readonly fields: readonly string[];
  readonly folded: FoldedKey | undefined;
}

const uniquesOf = perCollection((collection): readonly Unique[] => {
  const { definition } = collection;
  const fields = [...definition.fields].filter(([, field]) => field.unique).map(([name]) => [name]);
  const indexes = definition.indexes.filter(({ unique }) => unique).map((index) => index.fields);
  return [...fields, ...indexes].map((names) => ({
    fields: names,
    folded: keysOf(collection).find((key) => key.fields.join() === names.join()),
  }));
});

interface Written {
  readonly seq: number;
  readonly values: Values;
}

export const hasUnique = (collection: StoredCollection): boolean => uniquesOf(collection).length > 0;

/** Differs between records whose first unique values differ, and is the same if they do not. */
export function uniqueKey(collection: StoredCollection, values: Values): string {
  const [first] = uniquesOf(collection);
  const key = first?.folded?.key(values) ?? first?.fields.map((name) => values[name] ?? null);
  return JSON.stringify(key ?? null);
}

/** Writes a record's row. If unique values are taken, all of them are reported. */
export function writeUnique(
  db: Connection,
  collection: StoredCollection,
  record: Written,
  statement: Sql,
): Awaitable<unknown> {
  const write = () => db.run(statement);
  return orElse(
    () => (uniquesOf(collection).length > 1 ? db.dialect.attempt(db, write) : write()),
    async (error) => {
      throw await toConflict(error, db, collection, record);
    },
  );
}

/**
 * Converts a unique violation into a Failure that names the fields; returns any other error unchanged. An engine reports only
 * one violation, and not the same one as another: if there are several rules, the transaction continues, to look for all.
 */
export async function toConflict(
  error: unknown,
  db: Connection,
  collection: StoredCollection,
  { seq, values }: Written,
): Promise<unknown> {
  if (!db.dialect.isTaken(error)) return error;
  const uniques = uniquesOf(collection);
  const taken = uniques.length === 1 ? uniques : await findTaken(db, collection, seq, values);
  // Whoever had them has changed them since.
  if (taken.length === 0)
    return new Failure('unavailable', 'A unique value was taken just now: try again', { retryAfter: 1 });
  const issues = taken.map((unique) => issueOf(unique, values));
  return new Failure('conflict', issues);
}

/** Those of the record's unique values that another record has. */
async function findTaken(
  db: Connection,
  collection: StoredCollection,
  seq: number,
  values: Values,
): Promise<Unique[]> {
  const taken: Unique[] = [];
  for (const unique of uniquesOf(collection)) {
    const held = holdsAll(db, collection, unique, values);
    if (!held) continue; // unset values never collide
    const row = await db.row(
      sql`SELECT 1 FROM ${recordTable(collection)} WHERE ${held} AND seq <> ${seq} LIMIT 1`,
    );
    if (row) taken.push(unique);
  }
  return taken;
}

function holdsAll(
  db: Connection,
  collection: StoredCollection,
  { fields, folded }: Unique,
  values: Values,
): Sql | undefined {
  if (folded) {
    const key = folded.key(values);
    return key === null ? undefined : sql`${raw(folded.column)} = ${key}`;
  }
  const conditions = fields.map((name) => holds(db, collection, name, values));
  return conditions.includes(undefined) ? undefined : join(conditions as Sql[], ' AND ');
}

function holds(db: Connection, collection: StoredCollection, name: string, values: Values): Sql | undefined {
  const field = collection.definition.fields.get(name);
  const value = values[name] ?? null;
  if (!field || value === null) return undefined;
  return db.dialect.holds(collection, name, fieldType(field).toColumn(value, field));
}

function issueOf({ fields }: Unique, values: Values): Issue {
  const [first = ''] = fields;
  return fields.length === 1
    ? { at: first, message: `${JSON.stringify(values[first])} is already taken` }
    : { at: fields.join(', '), message: 'another record has the same values' };
}
