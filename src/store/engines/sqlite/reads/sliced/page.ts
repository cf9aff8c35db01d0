import type { ColumnValue } from '../../../../../model/field.ts';
import type { ListPlan } from '../../../../plans.ts';
import { encodeText, type RecordTexts } from '../../../../record-texts.ts';
import type { StoredCollection } from '../../../../schema.ts';
import { recordTable } from '../../../../sql/names.ts';
import { raw, sql } from '../../../../sql/tag.ts';
import type { Database } from '../../connection/database.ts';
import { largestOf } from '../../tables/sizes.ts';
import { recordText } from '../record-text.ts';
import { orderOf } from './compare.ts';
import { type Found, findOrdered } from './ordered.ts';
import { eachSlice, type Scan, type Sliced } from './slices.ts';

interface Wanted {
  readonly sort: ListPlan['sort'];
  readonly offset: number;
  readonly limit: number;
  /** Whether to count all matches even if the page is full. */
  readonly counted: boolean;
}

/** The sequence numbers of one page of matches, in its order. */
export function findPage(db: Database, scan: Scan, wanted: Wanted): Sliced<Found> {
  const order = orderOf(wanted.sort);
  return order.keys.length === 0
    ? inCreationOrder(db, { ...scan, backwards: order.descending }, wanted)
    : findOrdered(db, scan, order, wanted);
}

/** Up to this many, it is faster to get the places of all that match than to examine them twice, once to count. */
const fewExamined = 500;

function* inCreationOrder(db: Database, scan: Scan, { offset, limit, counted }: Wanted): Sliced<Found> {
  const seqs: number[] = [];
  let matching = 0;
  const order = raw(scan.backwards ? 'seq DESC' : 'seq');
  yield* eachSlice(scan, (from, examined) => {
    const missing = limit - seqs.length;
    const skipped = Math.max(0, offset - matching);
    const few = missing > 0 && examined <= fewExamined;
    const all = few ? db.rows(sql`SELECT seq FROM ${from} ORDER BY ${order}`) : undefined;
    const here = all?.length ?? Number(db.row(sql`SELECT count(*) FROM ${from}`)?.[0]);
    if (missing > 0 && here > skipped) {
      const rows =
        all?.slice(skipped, skipped + missing) ??
        db.rows(sql`SELECT seq FROM ${from} ORDER BY ${order} LIMIT ${missing} OFFSET ${skipped}`);
      for (const [seq] of rows) seqs.push(Number(seq));
    }
    matching += here;
    return !counted && seqs.length >= limit ? 'enough' : 'more';
  });
  return { seqs, matching };
}

/** The joined texts of records, in the order of `seqs`, a JSON array; joined inside SQLite. */
export function joinTexts(
  db: Database,
  collection: StoredCollection,
  seqs: string,
  extra: ListPlan['extra'],
): string {
  const text = sql`SELECT ${recordText(extra)} FROM ${recordTable(collection)} WHERE seq = place.value`;
  const row = db.row(
    sql`SELECT group_concat(text, ',') FROM (SELECT (${text}) AS text FROM json_each(${seqs}) AS place)`,
  );
  return row?.[0]?.toString() ?? '';
}

/** Bytes of records that are read at a time, which takes some milliseconds. */
const mostTogether = 2 * 1024 * 1024;

/** The texts of the records of a large page, in the order of `seqs`. */
export function* readLarge(
  db: Database,
  collection: StoredCollection,
  seqs: readonly number[],
  extra: ListPlan['extra'],
): Sliced<RecordTexts> {
  yield 'much';
  const found: Uint8Array<ArrayBuffer>[] = [];
  const together = Math.max(1, Math.floor(mostTogether / largestOf(db, collection)));
  for (let start = 0; start < seqs.length; start += together) {
    for (const text of readTexts(db, collection, seqs.slice(start, start + together), extra))
      found.push(encodeText(text));
    yield;
  }
  return found;
}

/** The texts of records, in the order of `seqs`. */
export function readTexts(
  db: Database,
  collection: StoredCollection,
  seqs: readonly number[],
  extra: ListPlan['extra'],
): string[] {
  const rows = db.rows(sql`
    SELECT seq, ${recordText(extra)} FROM ${recordTable(collection)}
    WHERE seq IN (SELECT value FROM json_each(${JSON.stringify(seqs)}))`);
  const texts = new Map<ColumnValue | undefined, string>(rows.map(([seq, json]) => [seq, String(json)]));
  return seqs.flatMap((seq) => texts.get(seq) ?? []);
}
