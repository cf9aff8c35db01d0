import { fieldType } from '../../../model/field-types.ts';
import type { Json } from '../../../model/json.ts';
import type { Binding, Values } from '../../../model/payload.ts';
import { searchText } from '../../../model/search.ts';
import type { InsertPlan, UpdatePlan } from '../../plans.ts';
import { recordJson, recordValues } from '../../record-json.ts';
import { checkTag } from '../../record-tag.ts';
import type { StoredCollection } from '../../schema.ts';
import { column, recordTable, valueTable } from '../../sql/names.ts';
import { join, type Sql, sql } from '../../sql/tag.ts';
import { andScope } from '../../sql/where.ts';
import type { Database } from './database.ts';
import { uniqueFailure } from './faults.ts';
import { placingOf } from './placing.ts';
import { checkBinding, checkReferences } from './references.ts';
import { addSearchText, removeSearchText } from './search.ts';
import type { Counter, Transaction } from './writer.ts';

/** How far ahead of the clock creation times may run to keep records made in one millisecond apart. */
const spread = 50;

export function insertRecord(transaction: Transaction, plan: InsertPlan): string {
  const { collection, id, values, binding } = plan;
  const { db } = transaction;
  transaction.check(collection);
  checkReferences(db, plan.references);
  checkBinding(db, binding);
  const counter = transaction.counter(collection);
  counter.seq += 1;
  counter.total += 1;
  counter.created = nextCreated(counter, plan.at);
  const { seq, created } = counter;
  const { owner = null, workspace = null } = binding;
  const json = placeRecord(db, collection, { seq, id, created, updated: created, owner, workspace, values });
  addSearchText(db, collection.key, seq, searchText(collection.definition, values));
  return json;
}

export interface PlacedRecord extends StoredRecord {
  readonly owner: string | null;
  readonly workspace: string | null;
}

/** Writes a new row with all that belongs to it but the search text. */
export function placeRecord(db: Database, collection: StoredCollection, record: PlacedRecord): string {
  const { seq, id, created, updated, owner, workspace, values } = record;
  const json = recordJson(record, values);
  const placing = placingOf(collection);
  const row = [seq, id, created, updated, owner, workspace, json, ...placing.held(values)];
  run(db, collection, values, { text: placing.row, values: row });
  for (const { name, text, elements } of placing.lists) {
    for (const element of elements(values[name] ?? null)) db.run({ text, values: [element, seq] });
  }
  return json;
}

function nextCreated({ created: last }: Counter, at: number): number {
  return Math.max(at, last, Math.min(last + 1, at + spread));
}

export function updateRecord(transaction: Transaction, plan: UpdatePlan): string | undefined {
  const { collection, id, values, binding, scope } = plan;
  const { db } = transaction;
  transaction.check(collection);
  checkReferences(db, plan.references);
  checkBinding(db, binding);
  const row = db.row(sql`
    SELECT seq, created, updated, json FROM ${recordTable(collection)} WHERE id = ${id}${andScope(scope)}`);
  if (!row) return undefined;
  checkTag(collection, Number(row[2]), plan.ifMatch);
  const [seq = 0, created = 0, updated = 0] = row.map(Number);
  const old: StoredRecord = { seq, id, created, updated, values: recordValues(String(row[3])) };
  return changeRecord(transaction, collection, old, values, plan.at, binding);
}

export interface StoredRecord {
  readonly seq: number;
  readonly id: string;
  readonly created: number;
  readonly updated: number;
  readonly values: Values;
}

/** Writes changed values into a record that was found to be in scope. */
export function changeRecord(
  transaction: Transaction,
  collection: StoredCollection,
  old: StoredRecord,
  changed: Values,
  at: number,
  binding: Binding = {},
): string {
  const { db } = transaction;
  transaction.counter(collection); // marks the collection as changed
  const values = { ...old.values, ...changed };
  const updated = Math.max(at, old.updated + 1);
  const json = recordJson({ id: old.id, created: old.created, updated }, values);
  const sets = [
    sql`updated = ${updated}, json = ${json}`,
    ...columnValues(collection, changed).map(([name, value]) => sql`${name} = ${value}`),
    ...(binding.owner === undefined ? [] : [sql`owner = ${binding.owner}`]),
    ...(binding.workspace === undefined ? [] : [sql`workspace = ${binding.workspace}`]),
  ];
  run(
    db,
    collection,
    values,
    sql`
    UPDATE ${recordTable(collection)} SET ${join(sets, ', ')} WHERE seq = ${old.seq}`,
  );
  for (const name of Object.keys(changed)) {
    removeValues(db, collection, name, old.values[name] ?? null, old.seq);
    addValues(db, collection, name, changed[name] ?? null, old.seq);
  }
  const text = searchText(collection.definition, values);
  if (text !== searchText(collection.definition, old.values)) {
    removeSearchText(db, collection.key, old.seq);
    addSearchText(db, collection.key, old.seq, text);
  }
  return json;
}

export function removeRecord(
  transaction: Transaction,
  collection: StoredCollection,
  old: StoredRecord,
): void {
  const { db } = transaction;
  transaction.counter(collection).total -= 1;
  displaceRecord(db, collection, old);
  removeSearchText(db, collection.key, old.seq);
}

/** The opposite of placeRecord. */
export function displaceRecord(db: Database, collection: StoredCollection, old: StoredRecord): void {
  db.run(sql`DELETE FROM ${recordTable(collection)} WHERE seq = ${old.seq}`);
  for (const name of Object.keys(old.values)) {
    removeValues(db, collection, name, old.values[name] ?? null, old.seq);
  }
}

function run(db: Database, collection: StoredCollection, values: Values, statement: Sql): void {
  try {
    db.run(statement);
  } catch (error) {
    throw uniqueFailure(error, collection, values);
  }
}

function columnValues(
  collection: StoredCollection,
  values: Values,
): (readonly [Sql, string | number | null])[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const field = collection.definition.fields.get(name);
    const type = field && fieldType(field);
    if (!field || !type || type.plural(field)) return [];
    return [[column(collection, name), value === null ? null : type.toColumn(value, field)] as const];
  });
}

/** The rows of a list or multiple relation. Other fields have none. */
function valueRows(collection: StoredCollection, name: string, value: Json): (string | number | null)[] {
  const field = collection.definition.fields.get(name);
  if (!field || !Array.isArray(value)) return [];
  return [...new Set(value.map((element: Json) => fieldType(field).toColumn(element, field)))];
}

function addValues(db: Database, collection: StoredCollection, name: string, value: Json, seq: number): void {
  for (const element of valueRows(collection, name, value)) {
    db.run(sql`INSERT INTO ${valueTable(collection, name)} (value, seq) VALUES (${element}, ${seq})`);
  }
}

function removeValues(
  db: Database,
  collection: StoredCollection,
  name: string,
  value: Json,
  seq: number,
): void {
  for (const element of valueRows(collection, name, value)) {
    db.run(sql`DELETE FROM ${valueTable(collection, name)} WHERE value = ${element} AND seq = ${seq}`);
  }
}
