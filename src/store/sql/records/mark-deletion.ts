import type { Schema, StoredCollection, StoredRelation } from '../../schema.ts';
import { firstWithin } from '../../sizes.ts';
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
import { readingWork } from './deletion-work.ts';
import { collectionOf, markedTargets, notMarked } from './marked-records.ts';
import {
  findPlaces,
  forbids,
  mayForbid,
  type Place,
  readRecords,
  refersTo,
  restricted,
  stillReferring,
} from './referring.ts';

/** Records in one transaction: this takes some tens of milliseconds, which is the longest that others wait. */
const slice = 150;
/** Milliseconds after which a slow slice ends. */
const longest = 50;

/**
 * Marks everything that a deletion deletes, beginning with what is marked already, and then throws if a record that stays
 * forbids it. `work`: of one transaction.
 */
export async function markDeletion(writes: Writes, work: number): Promise<void> {
  await walk(writes, stages.spread, spreadBy);
  await walk(writes, stages.check, checkBy(work));
}

/** What a stage does with the records that refer to marked ones, and which relations matter to it. */
interface Way {
  readonly next: Stage;
  relations(collection: StoredCollection): readonly StoredRelation[];
  /** How much of a slice one of them uses up. */
  cost(place: Place): number;
  /** `ids`: of the marked ones that they refer to. */
  handle(
    db: Connection,
    relation: StoredRelation,
    ids: readonly string[],
    places: readonly Place[],
  ): Promise<void>;
}

const spreadBy: Way = {
  next: stages.check,
  relations: ({ referrers }) => referrers.filter(({ field }) => field.onDelete === 'cascade'),
  cost: () => 1,
  async handle(db, relation, ids, places) {
    const taken = await stillReferring(db, relation, ids, places);
    await addMarks(
      db,
      relation.from,
      taken.map(({ id }) => id),
    );
  },
};

const checkBy = (work: number): Way => ({
  next: stages.carry,
  relations: ({ referrers }) => referrers.filter(mayForbid),
  cost: (place) => 1 + (slice * readingWork(place)) / work,
  async handle(db, relation, ids, places) {
    const referring = await stillReferring(db, relation, ids, places);
    const staying = await readRecords(db, relation.from, await notMarked(db, relation.from, referring));
    const doomed = await markedTargets(db, relation, staying);
    for (const record of staying) {
      const reason = forbids(relation, record, (id) => doomed.has(id));
      if (reason) throw restricted(relation, reason);
    }
  },
});

/** Goes through everything that refers to the marked records of a stage, including those marked on the way. */
async function walk(writes: Writes, stage: Stage, way: Way): Promise<void> {
  while (await writes.write((transaction) => walkSlice(transaction, stage, way)));
}

/** Returns whether there may be more. */
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

/** Returns the cost of the records that refer to them. undefined: these are too many for one slice, and nothing was done. */
async function handleTogether(
  db: Connection,
  schema: Schema,
  marks: readonly Mark[],
  way: Way,
): Promise<number | undefined> {
  if (marks.some(({ relation, last }) => relation > 0 || last > 0)) return undefined;
  const ids = marks.map(({ id }) => id);
  const found: { relation: StoredRelation; places: Place[] }[] = [];
  let cost = 0;
  for (const relation of way.relations(collectionOf(schema, marks))) {
    const among = sql`${refersTo(db, relation, ids)} LIMIT ${slice - Math.floor(cost) + 1}`;
    const places = await findPlaces(db, relation.from, among);
    cost += costOf(places, way);
    if (cost > slice) return undefined;
    found.push({ relation, places });
  }
  for (const { relation, places } of found) await way.handle(db, relation, ids, places);
  await advanceMarks(db, marks, way.next);
  return cost;
}

const costOf = (places: readonly Place[], way: Way) =>
  places.reduce((sum, place) => sum + way.cost(place), 0);

/** For a record that many refer to: goes through one relation after the other, from where the last slice ended. */
async function handleOne(db: Connection, schema: Schema, marks: readonly Mark[], way: Way): Promise<number> {
  const [mark] = marks;
  if (!mark) return 0;
  const relation = way.relations(collectionOf(schema, marks))[mark.relation];
  if (!relation) {
    await advanceMarks(db, [mark], way.next);
    return 1;
  }
  const after = sql`${refersTo(db, relation, [mark.id])} AND seq > ${mark.last} ORDER BY seq LIMIT ${slice}`;
  const found = await findPlaces(db, relation.from, after);
  const places = firstWithin(found, slice, way.cost);
  await way.handle(db, relation, [mark.id], places);
  const last = places.at(-1)?.seq;
  const isEnd = places.length === found.length && found.length < slice;
  if (last === undefined || isEnd) await keepPlace(db, mark, mark.relation + 1, 0);
  else await keepPlace(db, mark, mark.relation, last);
  return costOf(places, way) + 1;
}
