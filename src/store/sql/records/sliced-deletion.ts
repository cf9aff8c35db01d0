import { Failure } from '../../../failure.ts';
import type { DeletePlan } from '../../plans.ts';
import type { Schema, StoredCollection, StoredRelation } from '../../schema.ts';
import { countTouched, tellTouched } from '../changes/touched.ts';
import type { Connection } from '../dialect.ts';
import { sql } from '../tag.ts';
import type { Transaction, Writes } from '../transaction.ts';
import { findTarget } from './delete-records.ts';
import {
  addMarks,
  advanceMarks,
  beginDeletion,
  decideDeletion,
  endDeletion,
  findDeletion,
  findMarked,
  keepPlace,
  lastMarks,
  type Mark,
  nextMarks,
  removeMarks,
  removeSomeMarks,
  type Stage,
  stages,
} from './deletion-marks.ts';
import type { StoredRecord } from './placed-record.ts';
import { cleared, findRecords, forbids, mayForbid, refersTo, restricted } from './referring.ts';
import { changeRecord, removeRecord } from './write-records.ts';

/** Records in one transaction: some tens of milliseconds, which others wait for at most. */
const slice = 150;
/** Milliseconds after which a slice ends that turns out to be slow. */
const longest = 50;
/** In a row. */
const mostFailures = 8;

/**
 * A deletion that touches so many records that others would wait for it too long. All that it takes is marked first,
 * and from then on nobody can refer to it; if a record that stays forbids it the marks go again, and nothing has
 * happened. Otherwise that it will be done is written down, and it is: referring records are cleared, and what is
 * marked is removed, a slice at a time. Whoever finds it unfinished goes on: see `finishDeletion`.
 */
export async function deleteInSlices(writes: Writes, plan: DeletePlan): Promise<boolean> {
  const found = await writes.write(async (transaction) => {
    const collection = await transaction.collection(plan.collection);
    const target = await findTarget(transaction.db, collection, plan);
    if (!target) return false;
    await beginDeletion(transaction.db, plan.at);
    await addMarks(transaction.db, collection, [target.id]);
    return true;
  });
  if (!found) return false;
  try {
    await walk(writes, stages.spread, spreadBy);
    await walk(writes, stages.check, checkBy);
    await writes.write(({ db }) => decideDeletion(db));
  } catch (error) {
    await abandon(writes);
    throw error;
  }
  try {
    await carryOut(writes, plan.at);
  } catch (cause) {
    throw Object.assign(unfinished(), { cause });
  }
  return true;
}

/** Not to be sent again: it is done already, though not all of it yet. */
const unfinished = () =>
  new Failure(
    'unavailable',
    'The deletion was begun and will be finished by itself: look before you send it again',
  );

/** What an earlier process left: done where that was decided, undone otherwise. Says whether there was anything. */
export async function finishDeletion(writes: Writes): Promise<boolean> {
  const found = await writes.write(({ db }) => findDeletion(db));
  if (!found) return false;
  if (found.carrying) await carryOut(writes, found.at);
  else await abandon(writes);
  return true;
}

async function abandon(writes: Writes): Promise<void> {
  while (await writes.write(({ db }) => removeSomeMarks(db, 1_000)));
  await writes.write(({ db }) => endDeletion(db));
}

/** What is done with the records that refer to marked ones, and by which relations. */
interface Way {
  readonly next: Stage;
  relations(collection: StoredCollection): readonly StoredRelation[];
  handle(db: Connection, relation: StoredRelation, records: readonly StoredRecord[]): Promise<void>;
}

const spreadBy: Way = {
  next: stages.check,
  relations: ({ referrers }) => referrers.filter(({ field }) => field.onDelete === 'cascade'),
  handle: (db, { from }, records) =>
    addMarks(
      db,
      from,
      records.map(({ id }) => id),
    ),
};

const checkBy: Way = {
  next: stages.carry,
  relations: ({ referrers }) => referrers.filter(mayForbid),
  async handle(db, relation, records) {
    const staying = await notMarked(db, relation.from, records);
    const doomed = await markedTargets(db, relation, staying);
    for (const record of staying) {
      const reason = forbids(relation, record, (id) => doomed.has(id));
      if (reason) throw restricted(relation, reason);
    }
  },
};

/** Goes through all that refers to the marked records of a stage, new ones included. */
async function walk(writes: Writes, stage: Stage, way: Way): Promise<void> {
  while (await writes.write((transaction) => walkSlice(transaction, stage, way)));
}

/** Says whether there may be more. */
async function walkSlice({ db, currentSchema }: Transaction, stage: Stage, way: Way): Promise<boolean> {
  const schema = await currentSchema();
  let most = slice;
  for (let left = slice, latest = Date.now() + longest; left > 0 && Date.now() < latest; ) {
    const marks = await nextMarks(db, stage, most);
    if (marks.length === 0) return false;
    const handled = await handleTogether(db, schema, marks, way);
    if (handled !== undefined) left -= handled + marks.length;
    else if (marks.length > 1) most = Math.max(1, Math.floor(marks.length / 16));
    else left -= await handleOne(db, schema, marks, way);
  }
  return true;
}

/** How many records refer to them; undefined where these are too many for one slice, and nothing was done. */
async function handleTogether(
  db: Connection,
  schema: Schema,
  marks: readonly Mark[],
  way: Way,
): Promise<number | undefined> {
  if (marks.some(({ relation, last }) => relation > 0 || last > 0)) return undefined;
  const ids = marks.map(({ id }) => id);
  const found: { relation: StoredRelation; records: StoredRecord[] }[] = [];
  let count = 0;
  for (const relation of way.relations(collectionOf(schema, marks))) {
    const among = sql`${refersTo(db, relation, ids)} LIMIT ${slice - count + 1}`;
    const records = await findRecords(db, relation.from, among);
    count += records.length;
    if (count > slice) return undefined;
    found.push({ relation, records });
  }
  for (const { relation, records } of found) await way.handle(db, relation, records);
  await advanceMarks(db, marks, way.next);
  return count;
}

/** The first one, which many refer to: by one relation after the other, from where the last slice ended. */
async function handleOne(db: Connection, schema: Schema, marks: readonly Mark[], way: Way): Promise<number> {
  const [mark] = marks;
  if (!mark) return 0;
  const relation = way.relations(collectionOf(schema, marks))[mark.relation];
  if (!relation) {
    await advanceMarks(db, [mark], way.next);
    return 1;
  }
  const behind = sql`${refersTo(db, relation, [mark.id])} AND seq > ${mark.last} ORDER BY seq LIMIT ${slice}`;
  const records = await findRecords(db, relation.from, behind);
  await way.handle(db, relation, records);
  const last = records.at(-1)?.seq;
  if (last === undefined || records.length < slice) await keepPlace(db, mark, mark.relation + 1, 0);
  else await keepPlace(db, mark, mark.relation, last);
  return records.length + 1;
}

function collectionOf({ byKey }: Schema, marks: readonly Mark[]): StoredCollection {
  const found = byKey.get(marks[0]?.collection ?? 0);
  if (!found) throw new Error('a mark of a collection that is not there');
  return found;
}

/** It is decided, so what may pass is waited for: a busy database, a full disk. */
async function carryOut(writes: Writes, at: number): Promise<void> {
  for (let failures = 0, more = true; more; ) {
    try {
      more = await writes.write((transaction) => carrySlice(transaction, at));
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures > mostFailures) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50 * failures));
    }
  }
}

async function carrySlice(transaction: Transaction, at: number): Promise<boolean> {
  const { db } = transaction;
  const marks = await lastMarks(db, slice);
  if (marks.length === 0) {
    await tellTouched(transaction);
    await endDeletion(db);
    return false;
  }
  const collection = collectionOf(await transaction.currentSchema(), marks);
  const ids = new Set(marks.map(({ id }) => id));
  if (await clearReferring(transaction, collection, ids, at)) {
    const doomed = await findRecords(db, collection, sql`id IN (${db.dialect.values([...ids], 'text')})`);
    await transaction.counter(collection);
    await db.dialect.forEach(doomed, (record) => removeRecord(transaction, collection, record, at));
    await removeMarks(db, marks);
  }
  await countTouched(transaction);
  return true;
}

/** Of the records that refer to these as many as one slice takes; says whether these were all. */
async function clearReferring(
  transaction: Transaction,
  collection: StoredCollection,
  ids: ReadonlySet<string>,
  at: number,
): Promise<boolean> {
  const { db } = transaction;
  let left = slice;
  for (const relation of collection.referrers) {
    const among = sql`${refersTo(db, relation, [...ids])} LIMIT ${slice + ids.size + 1}`;
    const found = await findRecords(db, relation.from, among);
    const goesToo = ({ id }: StoredRecord) => relation.from.key === collection.key && ids.has(id);
    const staying = found.filter((record) => !goesToo(record));
    await clearAll(transaction, relation, staying.slice(0, left), at);
    left -= staying.length;
    if (left < 0) return false;
  }
  return true;
}

async function clearAll(
  transaction: Transaction,
  relation: StoredRelation,
  records: readonly StoredRecord[],
  at: number,
): Promise<void> {
  const { db } = transaction;
  const doomed = await markedTargets(db, relation, records);
  const { name } = relation.field;
  await db.dialect.forEach(records, async (record) => {
    const changed = { [name]: cleared(relation, record, (id) => doomed.has(id)) };
    await changeRecord(transaction, relation.from, record, changed, at);
  });
}

async function notMarked(
  db: Connection,
  { key }: StoredCollection,
  records: readonly StoredRecord[],
): Promise<StoredRecord[]> {
  const marked = await findMarked(
    db,
    key,
    records.map(({ id }) => id),
  );
  return records.filter(({ id }) => !marked.has(id));
}

/** Of what the records refer to by a relation, that which is to be deleted. */
function markedTargets(
  db: Connection,
  { field, to }: StoredRelation,
  records: readonly StoredRecord[],
): Promise<ReadonlySet<string>> {
  const ids = new Set(records.flatMap(({ values }) => values[field.name] ?? []) as string[]);
  return findMarked(db, to.key, [...ids]);
}
