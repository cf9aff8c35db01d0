import type { StoredCollection, StoredRelation } from '../../../schema.ts';
import { column, recordTable } from '../../../sql/names.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { largestOf } from '../tables/sizes.ts';
import { namedStatement } from './named-statement.ts';
import type { Sliced } from './sliced/slices.ts';

/** Related records: their sequence numbers, and their JSON if it can't be too large. */
export interface Reached {
  readonly to: StoredCollection;
  readonly seqs: string;
  /** Upper bound of their number. */
  readonly count: number;
  readonly bytes: number;
  readonly text: string | undefined;
}

/** One relation of a path. `most`: bytes that the records it leads to may have. */
export interface Step {
  readonly relation: StoredRelation;
  readonly scope: Sql;
  readonly most: number;
}

/** Records handled by one statement, and bytes of those whose lists are parsed by one: that takes some five milliseconds. */
const mostTogether = 4_000;
const mostListed = 8 * 1024 * 1024;
/** Bytes of records whose lists the thread that serves may go through: 27,000 ids. */
const mostHere = 1024 * 1024;
/** Bytes of an id in a list. */
const idBytes = 39;
export function* follow(db: Database, step: Step, from: Reached): Sliced<Reached> {
  const isListed = step.relation.field.kind === 'multiple';
  const size = from.text?.length ?? from.bytes;
  if (isListed && size > mostTogether * idBytes) {
    if (size > mostHere) yield 'much';
    const together =
      size > mostListed ? Math.max(1, Math.floor(mostListed / largestOf(db, from.to))) : from.count;
    return yield* followLists(db, step, from, together);
  }
  const listed = isListed ? Math.max(1, Math.floor(mostListed / largestOf(db, from.to))) : mostTogether;
  const most = Math.min(mostTogether, listed);
  if (from.count <= most) return followTogether(db, step, from);
  const all = JSON.parse(from.seqs) as number[];
  if (all.length <= most) return followTogether(db, step, { ...from, count: all.length });
  const found = new Set<number>();
  for (let start = 0; start < all.length; start += most) {
    const seqs = JSON.stringify(all.slice(start, start + most));
    const [places] = db.row(statementOf(step, seqs, 'NULL')) ?? [];
    for (const seq of JSON.parse(String(places ?? '[]')) as number[]) found.add(seq);
    yield;
  }
  return yield* measured(db, step.relation.to, [...found]);
}

/**
 * For lists that may hold thousands of ids: a single statement that follows 50,000 of them takes half a second. `together`:
 * number of records whose lists are read at a time.
 */
function* followLists(
  db: Database,
  { relation, scope }: Step,
  from: Reached,
  together: number,
): Sliced<Reached> {
  const ids = yield* listedIds(db, relation, JSON.parse(from.seqs) as number[], together);
  const found: number[] = [];
  for (let start = 0; start < ids.length; start += mostTogether) {
    if (start > 0) yield 'much';
    const these = JSON.stringify(ids.slice(start, start + mostTogether));
    const rows = db.rows(
      sql`SELECT seq FROM ${recordTable(relation.to)} WHERE id IN (SELECT value FROM json_each(${these}))${scope}`,
    );
    for (const [seq] of rows) found.push(Number(seq));
  }
  return yield* measured(db, relation.to, found);
}

/** The distinct ids in the lists of some records. */
function* listedIds(
  db: Database,
  { from, field }: StoredRelation,
  seqs: readonly number[],
  together: number,
): Sliced<readonly string[]> {
  const ids = new Set<string>();
  for (let start = 0; start < seqs.length; start += together) {
    if (start > 0) yield 'much';
    const these = placesSql(seqs.slice(start, start + together));
    const rows = db.rows(
      sql`SELECT json_extract(json, ${`$.${field.name}`}) FROM ${recordTable(from)} WHERE ${these}`,
    );
    for (const [list] of rows) for (const id of JSON.parse(String(list ?? '[]')) as string[]) ids.add(id);
  }
  return [...ids];
}

/**
 * A single relation leads to at most as many records as there are referring ones, so mostly they can't be too large, whichever
 * they are.
 */
function followTogether(db: Database, step: Step, { seqs, count }: Reached): Reached {
  const { to, field } = step.relation;
  const isSmall = field.kind === 'single' && count * largestOf(db, to) <= step.most;
  const [places, found, rest] = db.row(statementOf(step, seqs, isSmall ? joined : weight)) ?? [];
  const reached = { to, seqs: String(places ?? '[]'), count: Number(found ?? 0) };
  if (isSmall) return { ...reached, bytes: 0, text: rest?.toString() ?? '' };
  return { ...reached, bytes: Number(rest ?? 0), text: undefined };
}

const joined = "group_concat(json, ',')";
const weight = 'total(octet_length(json) + 1)';

/** The sequence numbers of the records that some records refer to, how many they are, and `what` else is needed of them. */
function statementOf({ relation, scope }: Step, seqs: string, what: string): Sql {
  const { from, to, field } = relation;
  const ids = field.kind === 'single' ? [seqs] : [`$.${field.name}`, seqs];
  return namedStatement(from, `follow ${field.name} ${what}${scope.text}`, [...ids, ...scope.values], () => {
    const found = sql`${recordTable(to)} WHERE id IN (${idsOf(relation, seqs)})${scope}`;
    return sql`SELECT json_group_array(seq), count(*), ${raw(what)} FROM ${found}`;
  });
}

function* measured(db: Database, to: StoredCollection, seqs: readonly number[]): Sliced<Reached> {
  let bytes = 0;
  for (let start = 0; start < seqs.length; start += mostTogether) {
    const these = placesSql(seqs.slice(start, start + mostTogether));
    bytes += Number(db.row(sql`SELECT ${raw(weight)} FROM ${recordTable(to)} WHERE ${these}`)?.[0]);
    yield;
  }
  return { to, seqs: JSON.stringify(seqs), count: seqs.length, bytes, text: undefined };
}

export const placesSql = (seqs: readonly number[]) =>
  sql`seq IN (SELECT value FROM json_each(${JSON.stringify(seqs)}))`;

/** Ids of the records that those with some sequence numbers refer to. */
function idsOf({ from, field }: StoredRelation, seqs: string): Sql {
  const source = recordTable(from);
  const these = sql`seq IN (SELECT value FROM json_each(${seqs}))`;
  if (field.kind === 'single') return sql`SELECT ${column(from, field.name)} FROM ${source} WHERE ${these}`;
  const path = `$.${field.name}`;
  return sql`SELECT item.value FROM ${source}, json_each(${source}.json, ${path}) AS item WHERE ${these}`;
}
