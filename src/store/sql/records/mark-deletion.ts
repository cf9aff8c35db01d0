import type { Schema, StoredCollection, StoredRelation } from '../../schema.ts';
import type { Connection } from '../dialect.ts';
import { sql } from '../tag.ts';
import type { Transaction, Writes } from '../transaction.ts';
import {
  addMarks,
  advanceMarks,
  keepPlace,
  type Mark,
  nextMarks,
  type Stage,
  stages,
} from './deletion-marks.ts';
import { collectionOf, markedTargets, notMarked } from './marked-records.ts';
import type { StoredRecord } from './placed-record.ts';
import { findRecords, forbids, mayForbid, refersTo, restricted } from './referring.ts';

/** Records in one transaction: some tens of milliseconds, which others wait for at most. */
const slice = 150;
/** Milliseconds after which a slice ends that turns out to be slow. */
const longest = 50;

/** Marks all that a deletion takes, from what is marked already, and then throws where a record that stays forbids it. */
export async function markDeletion(writes: Writes): Promise<void> {
  await walk(writes, stages.spread, spreadBy);
  await walk(writes, stages.check, checkBy);
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
  const after = sql`${refersTo(db, relation, [mark.id])} AND seq > ${mark.last} ORDER BY seq LIMIT ${slice}`;
  const records = await findRecords(db, relation.from, after);
  await way.handle(db, relation, records);
  const last = records.at(-1)?.seq;
  if (last === undefined || records.length < slice) await keepPlace(db, mark, mark.relation + 1, 0);
  else await keepPlace(db, mark, mark.relation, last);
  return records.length + 1;
}
