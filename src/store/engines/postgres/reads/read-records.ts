import type { ColumnValue } from '../../../../model/field.ts';
import { Lru, remember } from '../../../cache.ts';
import type { Schemas } from '../../../known-schemas.ts';
import type { ListAnswer, ListPlan } from '../../../plans.ts';
import { includeTooLarge, largePage, largestAnswer, largestInclude, pageTooLarge } from '../../../sizes.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { type CompiledList, compileList, type ListShape, shapeKey, shapeOf } from './compile-list.ts';
import { type Mark, PageMarks } from './page-marks.ts';
import { checkVersion } from './schema-version.ts';
import { Totals } from './totals.ts';

/** A project's caches for reading lists. */
export interface ListReads {
  readonly schemas: Schemas;
  readonly totals: Totals;
  readonly marks: PageMarks;
  readonly shapes: ListShapes;
  readonly lists: CompiledLists;
}

/** What concurrently used lists have in common; the schema version is part of the key. */
type ListShapes = Lru<string, ListShape>;

/** By the plan's key, which includes the schema version. As many as there are cached plans. */
type CompiledLists = Lru<string, CompiledList>;

export const listReads = (schemas: Schemas): ListReads => ({
  schemas,
  totals: new Totals(),
  marks: new PageMarks(),
  shapes: new Lru({ most: 200 }),
  lists: new Lru({ most: 1_500 }),
});

export interface ReadPage {
  readonly answer: ListAnswer;
  /** Version of the plan's collection in the snapshot that the page was read in. */
  readonly version: number;
  /** Whether the page was requested before. */
  readonly again: boolean;
}

/** The page is joined inside PostgreSQL: no record is parsed and serialized again on its way out. */
export async function listRecords(db: Connection, reads: ListReads, plan: ListPlan): Promise<ReadPage> {
  const { totals } = reads;
  const compiled = compiledOf(db, reads, plan);
  const { collection, question, numbered } = compiled;
  compiled.asked += 1;
  if (numbered && !totals.hasGaps(collection)) {
    const row = await db.row(numbered());
    checkVersion(row?.[0], collection);
    if (row?.[2] === 1) return pageOf(db, reads, compiled, plan, row);
    totals.noteGaps(collection);
  }
  const row =
    (await db.row(compiled.statement(question === undefined ? undefined : totals.find(question)))) ?? [];
  checkVersion(row[0], collection);
  note(reads, compiled, plan, row);
  return pageOf(db, reads, compiled, plan, row);
}

/** Reads the page starting from a mark; undefined if the records have changed since. */
export async function listFromMark(
  db: Connection,
  reads: ListReads,
  plan: ListPlan,
  mark: Mark,
): Promise<ReadPage | undefined> {
  const { totals, marks } = reads;
  const compiled = compiledOf(db, reads, plan);
  const { collection, question } = compiled;
  const row = await db.row(compiled.marked(mark, question === undefined ? undefined : totals.find(question)));
  checkVersion(row?.[0], collection);
  if (row?.[2] !== 1) {
    marks.forget(collection, plan);
    return undefined;
  }
  compiled.asked += 1;
  note(reads, compiled, plan, row);
  return pageOf(db, reads, compiled, plan, row);
}

function compiledOf(db: Connection, { schemas, shapes, lists }: ListReads, plan: ListPlan): CompiledList {
  return remember(lists, plan.key, () => {
    const collection = schemas.collection(plan.collection);
    const key = shapeKey(collection, plan);
    return compileList(
      remember(shapes, key, () => shapeOf(db, collection, plan)),
      plan,
    );
  });
}

/**
 * The schema version, the collection's version, whether the statement was applicable, the total, the page and, if a mark is
 * made of it, its last record: sequence number and sort values.
 */
type Row = readonly ColumnValue[];

/** For later pages, and for those with the same filter. */
function note(
  { totals, marks }: ListReads,
  { collection, question }: CompiledList,
  plan: ListPlan,
  row: Row,
): void {
  const version = Number(row[1]);
  if (question !== undefined) totals.remember(question, version, Number(row[3]));
  const [seq, ...values] = row.slice(7 + plan.include.length);
  if (typeof seq === 'number') {
    marks.add(collection, plan, { offset: plan.offset + plan.limit, position: { seq, values }, version });
  }
}

/** A large page is read once more, by a statement that gives a row for each record: they arrive one by one. */
async function pageOf(
  db: Connection,
  { totals }: ListReads,
  compiled: CompiledList,
  plan: ListPlan,
  row: Row,
): Promise<ReadPage> {
  const { asked, question, collection } = compiled;
  const again = asked > 1;
  refuseTooLarge(row);
  if (Number(row[4]) <= largePage)
    return { answer: readList(plan, row, row[6]?.toString() ?? ''), version: Number(row[1]), again };
  const known = question === undefined ? undefined : totals.find(question);
  const [first = [], ...records] = await db.rows(compiled.inRows(known));
  checkVersion(first[0], collection);
  refuseTooLarge(first);
  const found = records.map((record) => String(record[6]));
  return { answer: readList(plan, first, found), version: Number(first[1]), again };
}

function refuseTooLarge([, , , , size, included]: Row): void {
  if (Number(included) > largestInclude) throw includeTooLarge();
  if (Number(size) + Number(included) > largestAnswer) throw pageTooLarge();
}

function readList(
  plan: ListPlan,
  [, , , total, , , , ...include]: Row,
  found: ListAnswer['found'],
): ListAnswer {
  return {
    total: Number(total),
    found,
    include: new Map(plan.include.map(({ path }, index) => [path, include[index]?.toString() ?? ''])),
  };
}
