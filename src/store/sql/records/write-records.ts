import { type Awaitable, after } from '../../../awaitable.ts';
import type { ColumnValue } from '../../../model/field.ts';
import { fieldType } from '../../../model/field-types.ts';
import type { Binding, Values } from '../../../model/payload.ts';
import { searchText } from '../../../model/search.ts';
import { recordJson } from '../../record-json.ts';
import type { StoredCollection } from '../../schema.ts';
import { checkRecordSize, countElements, work } from '../../sizes.ts';
import type { InsertPlan } from '../../write-plans.ts';
import { checkAuthority } from '../accounts/check-authority.ts';
import { noteChange, noteCreation, noteDeletion } from '../changes/note-changes.ts';
import type { Connection } from '../dialect.ts';
import { column, recordTable } from '../names.ts';
import { join, raw, type Sql, sql } from '../tag.ts';
import type { Counter, Transaction } from '../transaction.ts';
import { keysOf } from './folded-keys.ts';
import type { PlacedRecord, StoredRecord } from './placed-record.ts';
import { placingOf } from './placing.ts';
import { checkBinding, checkReferences } from './references.ts';
import { writeUnique } from './unique.ts';

/** Up to this many characters a record's size need not be recorded. */
const smallText = 20_000;

/** Milliseconds that creation times may run ahead of the clock, to keep records created in the same millisecond apart. */
export const spread = 50;

/** Awaits only what is not there at once: on SQLite nothing, in most cases, which takes a batch 3 µs less a record. */
export function insertRecord(transaction: Transaction, plan: InsertPlan): Awaitable<string> {
  return after(transaction.collection(plan.collection), (collection) =>
    after(transaction.counter(collection), (counter) =>
      after(checkInsert(transaction, collection, plan), () => {
        const { seq, created } = nextPlace(counter, transaction.notAhead(plan.at));
        return insertAt(transaction, collection, plan, { seq, created });
      }),
    ),
  );
}

/** That it may be written, and may refer to what it does. */
function checkInsert(
  transaction: Transaction,
  collection: StoredCollection,
  { authority, references, binding }: InsertPlan,
): Awaitable<void> {
  const { db } = transaction;
  return after(authority && checkAuthority(db, authority), () =>
    after(checkReferences(transaction, collection, references), () => checkBinding(db, binding)),
  );
}

function insertAt(
  transaction: Transaction,
  collection: StoredCollection,
  plan: InsertPlan,
  { seq, created }: { readonly seq: number; readonly created: number },
): Awaitable<string> {
  const { db } = transaction;
  const { id, values } = plan;
  const { owner = null, workspace = null } = plan.binding;
  const record = { seq, id, created, updated: created, owner, workspace, values };
  const json = recordJson(record, values, plan.valuesJson);
  checkRecordSize(json, plan.mostBytes);
  return after(placeRecord(db, collection, record, json), () => {
    transaction.work += work.create(json, countElements(values));
    const text = plan.searchText ?? searchText(collection.definition, values);
    const texts = text === '' ? undefined : db.dialect.addSearchTexts(db, collection.key, [{ seq, text }]);
    return after(texts, () => {
      noteCreation(transaction, collection, record);
      return json;
    });
  });
}

/** Counts a new record, and returns its place in the order of creation. */
export function nextPlace(counter: Counter, now: number): { seq: number; created: number } {
  const { created: last, end } = counter;
  if (end && counter.seq >= end.seq) throw new Error('a new record for which no place was taken');
  counter.seq += 1;
  counter.total += 1;
  const created = Math.max(now, last, Math.min(last + 1, now + spread));
  counter.created = end ? Math.min(created, end.created) : created;
  return { seq: counter.seq, created: counter.created };
}

/** Writes a new row with everything that belongs to it except the search text. */
export function placeRecord(
  db: Connection,
  collection: StoredCollection,
  record: PlacedRecord,
  json: string = recordJson(record, record.values),
): Awaitable<string> {
  const placing = placingOf(collection, db.dialect);
  const insert = { ...placing.row, values: placing.cells(record, json) };
  return after(writeUnique(db, collection, record, insert), () => {
    const isPlaced = json.length <= smallText && placing.lists.length === 0;
    return isPlaced ? json : placeRest(db, collection, record, json);
  });
}

async function placeRest(
  db: Connection,
  collection: StoredCollection,
  { seq, values }: PlacedRecord,
  json: string,
): Promise<string> {
  if (json.length > smallText) await db.dialect.noteSize(db, collection.key, Buffer.byteLength(json));
  for (const list of placingOf(collection, db.dialect).lists) {
    const elements = list.elements(values[list.name] ?? null);
    if (elements.length > 0) await db.dialect.addValues(db, { ...list, values: elements, seq });
  }
  return json;
}

/** Writes changed values into a record that was found to be in scope. */
export async function changeRecord(
  transaction: Transaction,
  collection: StoredCollection,
  old: StoredRecord,
  changed: Values,
  at: number,
  binding: Binding = {},
): Promise<string> {
  const { db } = transaction;
  transaction.found.forget();
  await transaction.touch(collection);
  const values = { ...old.values, ...changed };
  const updated = Math.max(transaction.notAhead(at), old.updated + 1);
  const json = recordJson({ id: old.id, created: old.created, updated }, values);
  const sets = [
    sql`updated = ${updated}, json = ${json}`,
    ...columnValues(db, collection, changed).map(([name, value]) => sql`${name} = ${value}`),
    ...changedKeys(collection, old.values, values).map(([name, key]) => sql`${name} = ${key}`),
    ...(binding.owner === undefined ? [] : [sql`owner = ${binding.owner}`]),
    ...(binding.workspace === undefined ? [] : [sql`workspace = ${binding.workspace}`]),
  ];
  const update = sql`UPDATE ${recordTable(collection)} SET ${join(sets, ', ')} WHERE seq = ${old.seq}`;
  await writeUnique(db, collection, { seq: old.seq, values }, update);
  if (json.length > smallText) await db.dialect.noteSize(db, collection.key, Buffer.byteLength(json));
  const moved = await replaceValues(db, collection, old, changed);
  transaction.work += work.change(old.length ?? 0, json.length, countElements(values), moved);
  if (isSearched(collection, changed)) await replaceSearchText(db, collection, old, values);
  noteChange(transaction, collection, old, updated, binding);
  return json;
}

function isSearched({ definition }: StoredCollection, changed: Values): boolean {
  return Object.keys(changed).some((name) => {
    const field = definition.fields.get(name);
    return field !== undefined && fieldType(field).searchable(field);
  });
}

async function replaceSearchText(
  db: Connection,
  { definition, key }: StoredCollection,
  { seq, values: before }: StoredRecord,
  values: Values,
): Promise<void> {
  const text = searchText(definition, values);
  if (text === searchText(definition, before)) return;
  await db.dialect.removeSearchText(db, key, seq);
  if (text !== '') await db.dialect.addSearchTexts(db, key, [{ seq, text }]);
}

export async function removeRecord(
  transaction: Transaction,
  collection: StoredCollection,
  old: StoredRecord,
  at: number,
): Promise<void> {
  const { db } = transaction;
  transaction.found.forget();
  const counter = await transaction.counter(collection);
  counter.total -= 1;
  const elements = await displaceRecord(db, collection, old);
  transaction.work += work.remove(old.length ?? 0, elements);
  await db.dialect.removeSearchText(db, collection.key, old.seq);
  noteDeletion(transaction, collection, old, transaction.notAhead(at));
}

/** The opposite of placeRecord. Returns how many elements of lists were deleted with it. */
export async function displaceRecord(
  db: Connection,
  collection: StoredCollection,
  old: StoredRecord,
): Promise<number> {
  await db.run(sql`DELETE FROM ${recordTable(collection)} WHERE seq = ${old.seq}`);
  return replaceValues(db, collection, old, undefined);
}

/**
 * Replaces the rows of lists and multiple relations among `changed`; without it deletes all. Returns how many were deleted and
 * added.
 */
async function replaceValues(
  db: Connection,
  collection: StoredCollection,
  { seq, values: before }: StoredRecord,
  changed: Values | undefined,
): Promise<number> {
  let count = 0;
  for (const list of placingOf(collection, db.dialect).lists) {
    if (changed && !Object.hasOwn(changed, list.name)) continue;
    const old = list.elements(before[list.name] ?? null);
    const now = list.elements(changed?.[list.name] ?? null);
    const gone = without(old, now);
    const added = without(now, old);
    if (gone.length > 0) await db.dialect.removeValues(db, { ...list, values: gone, seq });
    if (added.length > 0) await db.dialect.addValues(db, { ...list, values: added, seq });
    count += gone.length + added.length;
  }
  return count;
}

/** Uses a set: a list may have tens of thousands of elements, and others wait for this transaction. */
function without(values: readonly ColumnValue[], others: readonly ColumnValue[]): ColumnValue[] {
  const known = new Set(others);
  return values.filter((value) => !known.has(value));
}

/** A record without a key stays so as long as its values stay the same. */
function changedKeys(
  collection: StoredCollection,
  before: Values,
  after: Values,
): (readonly [Sql, string | null])[] {
  const changed = keysOf(collection).filter(({ fields }) =>
    fields.some((name) => before[name] !== after[name]),
  );
  return changed.map(({ column: name, key }) => [raw(name), key(after)]);
}

function columnValues(
  { dialect }: Connection,
  collection: StoredCollection,
  values: Values,
): (readonly [Sql, string | number | null])[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const field = collection.definition.fields.get(name);
    const type = field && fieldType(field);
    if (!field || !type || type.plural(field) || dialect.isComputed(collection.definition, field)) return [];
    return [[column(collection, name), value === null ? null : type.toColumn(value, field)] as const];
  });
}
