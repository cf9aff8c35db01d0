import type { IncludePlan } from '../../../plans.ts';
import { relationOf, type StoredCollection } from '../../../schema.ts';
import { includeTooLarge, largestInclude } from '../../../sizes.ts';
import { recordTable } from '../../../sql/names.ts';
import { andScope } from '../../../sql/records/where.ts';
import { sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { follow, placesSql, type Reached } from './follow-relation.ts';
import { type Sliced, unlessMuch } from './sliced/slices.ts';

/** Sequence numbers of records, and an upper bound of the bytes of their lists. */
interface Places {
  readonly seqs: string;
  readonly bytes: number;
}

/**
 * The related records of a page, by path; paths with a common prefix share its steps. Must run in the transaction that the page
 * was read in: all collections of a plan are of one schema, so the page's check covers them too. undefined: they are too many
 * to read here.
 */
export function includeRecords(
  db: Database,
  collection: StoredCollection,
  plan: Including,
  page: Places,
): ReadonlyMap<string, string> | undefined {
  return plan.include.length === 0 ? nothingIncluded : unlessMuch(includeSliced(db, collection, plan, page));
}

interface Including {
  readonly include: readonly IncludePlan[];
  readonly limit: number;
}

/** Bytes of related records that the serving thread may read. */
const mostTexts = 4 * 1024 * 1024;

const nothingIncluded: ReadonlyMap<string, string> = new Map();

/** The same for what may be much: a few records can refer to thousands by their lists, and those to all there are. */
export function* includeSliced(
  db: Database,
  collection: StoredCollection,
  { include: paths, limit }: Including,
  page: Places,
): Sliced<ReadonlyMap<string, string>> {
  const reached = new Map<string, Reached>();
  const ends = new Map<string, Reached>();
  const most = largestInclude / paths.length;
  let bytes = 0;
  for (const { path, steps } of paths) {
    let place = '';
    let current: Reached = { ...page, to: collection, count: limit, text: undefined };
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
  // Those that can't be too large by themselves were not measured, but may be together with others.
  if (bytes > 0 && bytes + bytesOf(ends.values()) > largestInclude) throw includeTooLarge();
  if (bytes > mostTexts) yield 'much';
  return textsOf(db, ends);
}

function bytesOf(ends: Iterable<Reached>): number {
  let bytes = 0;
  for (const { text } of ends) if (text) bytes += Buffer.byteLength(text) + 1;
  return bytes;
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
