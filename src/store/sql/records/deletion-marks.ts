import { Failure } from '../../../failure.ts';
import type { ColumnValue } from '../../../model/field.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/**
 * The stages of a large deletion: it finds what to delete (`spread`), checks whether anything forbids it (`check`), and carries
 * it out, slice by slice. At most one is under way in a project.
 */
export const stages = { spread: 0, check: 1, carry: 2 } as const;
export type Stage = (typeof stages)[keyof typeof stages];

/** A record that is to be deleted, and how far the records that refer to it have been processed, if they are many. */
export interface Mark {
  readonly n: number;
  readonly collection: number;
  readonly id: string;
  readonly relation: number;
  readonly last: number;
}

export interface Deletion {
  readonly at: number;
  /** Decided: it will be carried out, whatever happens. */
  readonly carrying: boolean;
}

export async function findDeletion(db: Connection): Promise<Deletion | undefined> {
  return readDeletion(await db.row(sql`SELECT at, carrying FROM ${tables.deletions}`));
}

/** For whoever acts on the result: waits until it is settled whether another transaction has decided the deletion. */
export async function lockDeletion(db: Connection): Promise<Deletion | undefined> {
  return readDeletion(await db.row(sql`SELECT at, carrying FROM ${tables.deletions}${db.dialect.forUpdate}`));
}

const readDeletion = (row: readonly ColumnValue[] | undefined): Deletion | undefined =>
  row && { at: Number(row[0]), carrying: Number(row[1]) === 1 };

export async function beginDeletion(db: Connection, at: number): Promise<void> {
  await db.run(sql`INSERT INTO ${tables.deletions} (at, carrying) VALUES (${at}, 0)`);
}

export async function decideDeletion(db: Connection): Promise<void> {
  await db.run(sql`UPDATE ${tables.deletions} SET carrying = 1`);
}

export async function endDeletion(db: Connection): Promise<void> {
  await db.run(sql`DELETE FROM ${tables.deletions}`);
}

/** Marks those records of a collection that are not marked yet. */
export async function addMarks(
  db: Connection,
  { key }: StoredCollection,
  ids: readonly string[],
): Promise<void> {
  const known = await findMarked(db, key, ids);
  const fresh = ids.filter((id) => !known.has(id));
  if (fresh.length === 0) return;
  const [most] = (await db.row(sql`SELECT coalesce(max(n), 0) FROM ${tables.doomed}`)) ?? [];
  await db.dialect.forEach(fresh, async (id, index) => {
    const n = Number(most) + 1 + index;
    await db.run(sql`
      INSERT INTO ${tables.doomed} (n, collection, id, stage, relation, last) VALUES (${n}, ${key}, ${id}, 0, 0, 0)`);
  });
}

/** The first marks of a stage, all of one collection. */
export async function nextMarks(db: Connection, stage: Stage, most: number): Promise<Mark[]> {
  const order = sql`stage = ${stage} ORDER BY n LIMIT ${most}`;
  return ofOneCollection(await readMarks(db, order));
}

/** The last marks added: what refers to a record was mostly found after it, and must be removed before it. */
export async function lastMarks(db: Connection, most: number): Promise<Mark[]> {
  return ofOneCollection(await readMarks(db, sql`1 = 1 ORDER BY n DESC LIMIT ${most}`));
}

async function readMarks(db: Connection, where: ReturnType<typeof sql>): Promise<Mark[]> {
  const rows = await db.rows(
    sql`SELECT n, collection, id, relation, last FROM ${tables.doomed} WHERE ${where}`,
  );
  return rows.map(([n, collection, id, relation, last]) => ({
    n: Number(n),
    collection: Number(collection),
    id: String(id),
    relation: Number(relation),
    last: Number(last),
  }));
}

function ofOneCollection(marks: readonly Mark[]): Mark[] {
  const end = marks.findIndex(({ collection }) => collection !== marks[0]?.collection);
  return marks.slice(0, end < 0 ? marks.length : end);
}

export async function advanceMarks(db: Connection, marks: readonly Mark[], stage: Stage): Promise<void> {
  await db.run(sql`
    UPDATE ${tables.doomed} SET stage = ${stage}, relation = 0, last = 0 WHERE n IN (${numbersOf(db, marks)})`);
}

export async function keepPlace(db: Connection, { n }: Mark, relation: number, last: number): Promise<void> {
  await db.run(sql`UPDATE ${tables.doomed} SET relation = ${relation}, last = ${last} WHERE n = ${n}`);
}

export async function removeMarks(db: Connection, marks: readonly Mark[]): Promise<void> {
  await db.run(sql`DELETE FROM ${tables.doomed} WHERE n IN (${numbersOf(db, marks)})`);
}

/** Removes some of them. Returns whether there may be more. */
export async function removeSomeMarks(db: Connection, most: number): Promise<boolean> {
  const marks = await readMarks(db, sql`1 = 1 ORDER BY n DESC LIMIT ${most}`);
  if (marks.length > 0) await removeMarks(db, marks);
  return marks.length === most;
}

const numbersOf = ({ dialect }: Connection, marks: readonly Mark[]) =>
  dialect.values(
    marks.map(({ n }) => n),
    'integer',
  );

/** Those of a collection's records that are marked for deletion. */
export async function findMarked(
  db: Connection,
  key: number,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const [only] = ids;
  const among = ids.length === 1 && only ? sql`= ${only}` : sql`IN (${db.dialect.values(ids, 'text')})`;
  const rows = await db.rows(sql`
    SELECT id FROM ${tables.doomed} WHERE collection = ${key} AND id ${among}`);
  return new Set(rows.map(([id]) => String(id)));
}

/** A record that is being deleted must not be referred to any more. */
export const beingDeleted = (field: string, id: string, to: string) =>
  new Failure('conflict', [
    { at: field, message: `the record '${id}' in ${to} is being deleted: choose another one` },
  ]);

/** The marks refer to the tables of the current schema. */
export async function refuseWhileDeleting(db: Connection): Promise<void> {
  if (!(await findDeletion(db))) return;
  throw new Failure('unavailable', 'A large deletion is under way: try again when it is done', {
    retryAfter: 2,
  });
}
