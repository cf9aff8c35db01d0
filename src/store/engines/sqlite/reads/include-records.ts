import type { ColumnValue } from '../../../../model/field.ts';
import type { IncludePlan } from '../../../plans.ts';
import { relationOf, type StoredCollection, type StoredRelation } from '../../../schema.ts';
import { includeTooLarge, largestInclude } from '../../../sizes.ts';
import { column, recordTable } from '../../../sql/names.ts';
import { andScope } from '../../../sql/records/where.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { largestOf } from '../tables/sizes.ts';
import { namedStatement } from './named-statement.ts';

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
  { include: paths, limit }: { readonly include: readonly IncludePlan[]; readonly limit: number },
  seqs: ColumnValue,
): ReadonlyMap<string, string> {
  if (paths.length === 0) return nothingIncluded;
  const reached = new Map<string, Reached>();
  const ends = new Map<string, Reached>();
  let bytes = 0;
  for (const { path, steps } of paths) {
    let place = '';
    let current: Reached = { to: collection, seqs: String(seqs), count: limit, bytes: 0, text: '' };
    for (const { field, scope } of steps) {
      const relation = relationOf(current.to, field);
      place += `.${field}`;
      const nothing = { to: relation.to, seqs: '[]', count: 0, bytes: 0, text: '' };
      const most = largestInclude / paths.length;
      current =
        reached.get(place) ?? (scope ? follow(db, relation, current, andScope(scope), most) : nothing);
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

const nothingIncluded: ReadonlyMap<string, string> = new Map();

/**
 * Records refer to no more others by a single relation than they are: mostly those are not too large, whatever they are. `most`: bytes
 * that they may have.
 */
function follow(
  db: Database,
  relation: StoredRelation,
  { seqs, count }: Reached,
  scope: Sql,
  most: number,
): Reached {
  const { from, to, field } = relation;
  const ids = field.kind === 'single' ? [seqs] : [`$.${field.name}`, seqs];
  const named = (columns: string) =>
    namedStatement(from, `follow ${field.name} ${columns}${scope.text}`, [...ids, ...scope.values], () => {
      const found = sql`${recordTable(to)} WHERE id IN (${idsOf(relation, seqs)})${scope}`;
      return sql`SELECT json_group_array(seq), count(*), ${raw(columns)} FROM ${found}`;
    });
  const isSmall = field.kind === 'single' && count * largestOf(db, to) <= most;
  const [places, found, rest] = db.row(named(isSmall ? joined : measured)) ?? [];
  const reached = { to, seqs: String(places ?? '[]'), count: Number(found ?? 0) };
  if (isSmall) return { ...reached, bytes: 0, text: rest?.toString() ?? '' };
  return { ...reached, bytes: Number(rest ?? 0), text: undefined };
}

const joined = "group_concat(json, ',')";
const measured = 'total(octet_length(json) + 1)';

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
  const these = sql`seq IN (SELECT value FROM json_each(${JSON.stringify([...seqs])}))`;
  const rows = db.rows(sql`SELECT seq, json FROM ${recordTable(to)} WHERE ${these}`);
  return new Map(rows.map(([seq, json]) => [Number(seq), String(json)]));
}
