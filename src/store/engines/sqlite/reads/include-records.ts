import { atOnce } from '../../../../awaitable.ts';
import type { IncludePlan } from '../../../plans.ts';
import { relationOf, type StoredCollection, type StoredRelation } from '../../../schema.ts';
import { includeTooLarge, largestInclude } from '../../../sizes.ts';
import { column, recordTable } from '../../../sql/names.ts';
import { andScope } from '../../../sql/records/where.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { largestOf } from '../tables/sizes.ts';
import { namedStatement } from './named-statement.ts';
import type { Sliced } from './sliced/slices.ts';

/** Related records: which they are, and their texts where those can't be too large. */
interface Reached {
  readonly to: StoredCollection;
  readonly seqs: string;
  /** How many they are at most. */
  readonly count: number;
  readonly bytes: number;
  readonly text: string | undefined;
}

/**
 * The related records of a page, path by path; a path that begins like another shares its steps. For the transaction
 * in which the page was read: all collections of a plan are of one schema, so the page's check is theirs too.
 */
export function includeRecords(
  db: Database,
  collection: StoredCollection,
  plan: Including,
  seqs: string,
): ReadonlyMap<string, string> {
  return plan.include.length === 0 ? nothingIncluded : atOnce(includeSliced(db, collection, plan, seqs));
}

interface Including {
  readonly include: readonly IncludePlan[];
  readonly limit: number;
}

const nothingIncluded: ReadonlyMap<string, string> = new Map();

/** The same where it may be much: a few records refer to thousands by their lists, and those to all there are. */
export function* includeSliced(
  db: Database,
  collection: StoredCollection,
  { include: paths, limit }: Including,
  seqs: string,
): Sliced<ReadonlyMap<string, string>> {
  const reached = new Map<string, Reached>();
  const ends = new Map<string, Reached>();
  const most = largestInclude / paths.length;
  let bytes = 0;
  for (const { path, steps } of paths) {
    let place = '';
    let current: Reached = { to: collection, seqs, count: limit, bytes: 0, text: '' };
    for (const { field, scope } of steps) {
      const relation = relationOf(current.to, field);
      place += `.${field}`;
      const nothing = { to: relation.to, seqs: '[]', count: 0, bytes: 0, text: '' };
      current =
        reached.get(place) ??
        (scope ? yield* follow(db, { relation, scope: andScope(scope), most }, current) : nothing);
      reached.set(place, current);
    }
    bytes += current.bytes;
    if (bytes > largestInclude) throw includeTooLarge();
    ends.set(path, current);
  }
  // Those that can't be too large were not measured, and may be beside others.
  if (bytes > 0 && bytes + bytesOf(ends.values()) > largestInclude) throw includeTooLarge();
  return textsOf(db, ends);
}

/** One relation of a path. `most`: bytes that the records may have to which it leads. */
interface Step {
  readonly relation: StoredRelation;
  readonly scope: Sql;
  readonly most: number;
}

/** Records that are looked at by one statement, and bytes of those whose lists are gone through: 8 MB hold 200,000 ids. */
const mostTogether = 4_000;
const mostListed = 8 * 1024 * 1024;

function* follow(db: Database, step: Step, from: Reached): Sliced<Reached> {
  const isListed = step.relation.field.kind === 'multiple';
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
  const { to } = step.relation;
  const seqs = JSON.stringify([...found]);
  return { to, seqs, count: found.size, bytes: yield* measure(db, to, [...found]), text: undefined };
}

/** Records refer to no more others by a single relation than they are: mostly those are not too large, whatever they are. */
function followTogether(db: Database, step: Step, { seqs, count }: Reached): Reached {
  const { to, field } = step.relation;
  const isSmall = field.kind === 'single' && count * largestOf(db, to) <= step.most;
  const [places, found, rest] = db.row(statementOf(step, seqs, isSmall ? joined : measured)) ?? [];
  const reached = { to, seqs: String(places ?? '[]'), count: Number(found ?? 0) };
  if (isSmall) return { ...reached, bytes: 0, text: rest?.toString() ?? '' };
  return { ...reached, bytes: Number(rest ?? 0), text: undefined };
}

const joined = "group_concat(json, ',')";
const measured = 'total(octet_length(json) + 1)';

/** The places of the records to which those at some places refer, how many they are, and what else is asked for of them. */
function statementOf({ relation, scope }: Step, seqs: string, what: string): Sql {
  const { from, to, field } = relation;
  const ids = field.kind === 'single' ? [seqs] : [`$.${field.name}`, seqs];
  return namedStatement(from, `follow ${field.name} ${what}${scope.text}`, [...ids, ...scope.values], () => {
    const found = sql`${recordTable(to)} WHERE id IN (${idsOf(relation, seqs)})${scope}`;
    return sql`SELECT json_group_array(seq), count(*), ${raw(what)} FROM ${found}`;
  });
}

function* measure(db: Database, to: StoredCollection, seqs: readonly number[]): Sliced<number> {
  let bytes = 0;
  for (let start = 0; start < seqs.length; start += mostTogether) {
    const these = placesSql(seqs.slice(start, start + mostTogether));
    bytes += Number(db.row(sql`SELECT ${raw(measured)} FROM ${recordTable(to)} WHERE ${these}`)?.[0]);
    yield;
  }
  return bytes;
}

const placesSql = (seqs: readonly number[]) =>
  sql`seq IN (SELECT value FROM json_each(${JSON.stringify(seqs)}))`;

function bytesOf(ends: Iterable<Reached>): number {
  let bytes = 0;
  for (const { text } of ends) if (text) bytes += Buffer.byteLength(text) + 1;
  return bytes;
}

/** Of the records that those at some places refer to. */
function idsOf({ from, field }: StoredRelation, seqs: string): Sql {
  const source = recordTable(from);
  const these = sql`seq IN (SELECT value FROM json_each(${seqs}))`;
  if (field.kind === 'single') return sql`SELECT ${column(from, field.name)} FROM ${source} WHERE ${these}`;
  const path = `$.${field.name}`;
  return sql`SELECT item.value FROM ${source}, json_each(${source}.json, ${path}) AS item WHERE ${these}`;
}

/** Each record is read once, however many paths lead to it. */
function textsOf(db: Database, ends: ReadonlyMap<string, Reached>): Map<string, string> {
  const unread = new Map<StoredCollection, Set<number>>();
  for (const { to, seqs, text } of ends.values()) {
    if (text !== undefined) continue;
    const known = unread.get(to) ?? new Set<number>();
    for (const seq of JSON.parse(seqs) as number[]) known.add(seq);
    unread.set(to, known);
  }
  const read = new Map([...unread].map(([to, seqs]) => [to, readRecords(db, to, seqs)]));
  const texts = [...ends].map(([path, { to, seqs, text }]) => {
    if (text !== undefined) return [path, text] as const;
    const records = (JSON.parse(seqs) as number[]).map((seq) => read.get(to)?.get(seq));
    return [path, records.join(',')] as const;
  });
  return new Map(texts);
}

function readRecords(db: Database, to: StoredCollection, seqs: ReadonlySet<number>): Map<number, string> {
  const rows = db.rows(sql`SELECT seq, json FROM ${recordTable(to)} WHERE ${placesSql([...seqs])}`);
  return new Map(rows.map(([seq, json]) => [Number(seq), String(json)]));
}
