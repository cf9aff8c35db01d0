import { inSteps } from '../../../../awaitable.ts';
import type { Failure } from '../../../../failure.ts';
import { searchText } from '../../../../model/search.ts';
import { recordJson } from '../../../record-json.ts';
import type { StoredCollection } from '../../../schema.ts';
import { checkRecordSize } from '../../../sizes.ts';
import { noteCreation } from '../../../sql/changes/note-changes.ts';
import type { Connection, SearchText } from '../../../sql/dialect.ts';
import { recordTable } from '../../../sql/names.ts';
import type { PlacedRecord } from '../../../sql/records/placed-record.ts';
import { placingOf } from '../../../sql/records/placing.ts';
import { hasUnique, uniqueKey } from '../../../sql/records/unique.ts';
import { nextPlace } from '../../../sql/records/write-records.ts';
import { join, raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Counter, Transaction } from '../../../sql/transaction.ts';
import type { InsertPlan } from '../../../write-plans.ts';
import { unnested } from '../tables/arrays.ts';
import { findRefusals } from './group-references.ts';

/** The result for each record: its JSON, or why it was refused. */
export type Inserted = string | Failure;

/**
 * Inserts new records of one collection in one transaction, with one statement per table. Independent statements are pipelined:
 * two round trips however many records there are, plus that of the commit.
 */
export async function insertGroup(
  transaction: Transaction,
  collection: StoredCollection,
  plans: readonly InsertPlan[],
): Promise<Inserted[]> {
  const { db } = transaction;
  const [counter, refusals] = await Promise.all([
    transaction.counter(collection),
    findRefusals(db, collection, plans),
    transaction.collection(collection.ref),
  ]);
  const { results, records } = await inSteps(makeRecords(transaction, counter, plans, refusals));
  if (records.length > 0) {
    await placeAll(db, collection, inOneOrder(collection, records), {
      leave: (last) => transaction.leave(last),
    });
    for (const record of records) noteCreation(transaction, collection, record);
  }
  return results;
}

/** One record per step: a batch can have 16 MiB, and other requests must be served meanwhile. */
function* makeRecords(
  transaction: Transaction,
  counter: Counter,
  plans: readonly InsertPlan[],
  refusals: ReadonlyMap<InsertPlan, Failure>,
): Generator<void, { results: Inserted[]; records: NewRecord[] }, void> {
  const results: Inserted[] = [];
  const records: NewRecord[] = [];
  for (const plan of plans) {
    const refusal = refusals.get(plan);
    if (refusal) results.push(refusal);
    else {
      const { seq, created } = nextPlace(counter, transaction.notAhead(plan.at));
      const { owner = null, workspace = null } = plan.binding;
      const record = { seq, id: plan.id, created, updated: created, owner, workspace, values: plan.values };
      const json = recordJson(record, record.values);
      checkRecordSize(json, plan.mostBytes);
      records.push({ ...record, json });
      results.push(json);
    }
    yield;
  }
  return { results, records };
}

/** Sorted by unique values, so that concurrent writers of the same values take them in the same order and can't deadlock. */
function inOneOrder(collection: StoredCollection, records: readonly NewRecord[]): readonly NewRecord[] {
  if (!hasUnique(collection)) return records;
  const keyed = records.map((record) => ({ record, key: uniqueKey(collection, record.values) }));
  keyed.sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)));
  return keyed.map(({ record }) => record);
}

/** With its JSON, if that is already at hand. */
interface NewRecord extends PlacedRecord {
  readonly json?: string;
}

interface PlacingOptions {
  readonly withSearchText?: boolean;
  /** Receives the last statements sent, which are then not awaited here. */
  leave?(last: Promise<unknown>): void;
}

/**
 * Characters sent at a time. Each exists several times over until it is sent, and the event loop is blocked for about 10 ms;
 * for a million characters it was 40.
 */
const mostSent = 250_000;

/** Writes the rows of new records with everything that belongs to them, in one round trip, or in several if they are large. */
export async function placeAll(
  db: Connection,
  collection: StoredCollection,
  records: readonly NewRecord[],
  { withSearchText = true, leave }: PlacingOptions = {},
): Promise<void> {
  const json = records.map((record) => record.json ?? recordJson(record, record.values));
  for (let from = 0; from < records.length; ) {
    const to = from + countFitting(json, from);
    const some = records.slice(from, to);
    const found = withSearchText ? searchTexts(collection, some) : [];
    const sent = Promise.all([
      ...rowsOf(db, collection, some, json.slice(from, to)).map((statement) => db.run(statement)),
      found.length > 0 && db.dialect.addSearchTexts(db, collection.key, found),
    ]);
    if (leave && to === records.length) leave(sent);
    else await sent;
    from = to;
  }
}

/** How many texts, counting from `from`, are sent together: at least one. */
function countFitting(texts: readonly string[], from: number): number {
  let length = 0;
  const end = texts.findIndex((text, index) => {
    if (index < from) return false;
    length += text.length;
    return index > from && length > mostSent;
  });
  return (end < 0 ? texts.length : end) - from;
}

function rowsOf(
  { dialect }: Connection,
  collection: StoredCollection,
  records: readonly PlacedRecord[],
  texts: readonly string[],
): Sql[] {
  const placing = placingOf(collection, dialect);
  const rows = records.map((record, index) => placing.cells(record, texts[index] ?? ''));
  const columns = placing.columns.map(({ kind }, index) =>
    unnested(
      rows.map((row) => row[index] ?? null),
      kind,
    ),
  );
  const names = raw(placing.columns.map(({ name }) => name).join(', '));
  const lists = placing.lists.flatMap((list) => {
    const elements = records.flatMap(({ seq, values }) =>
      list.elements(values[list.name] ?? null).map((value) => ({ value, seq })),
    );
    if (elements.length === 0) return [];
    const values = unnested(
      elements.map(({ value }) => value),
      list.kind,
    );
    const seqs = unnested(
      elements.map(({ seq }) => seq),
      'integer',
    );
    return [sql`INSERT INTO ${list.table} (value, seq) SELECT ${values}, ${seqs}`];
  });
  return [sql`INSERT INTO ${recordTable(collection)} (${names}) SELECT ${join(columns, ', ')}`, ...lists];
}

function searchTexts({ definition }: StoredCollection, records: readonly PlacedRecord[]): SearchText[] {
  return records
    .map(({ seq, values }) => ({ seq, text: searchText(definition, values) }))
    .filter(({ text }) => text !== '');
}
