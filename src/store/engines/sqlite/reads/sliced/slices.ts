import type { ColumnValue } from '../../../../../model/field.ts';
import type { StoredCollection } from '../../../../schema.ts';
import { recordTable } from '../../../../sql/names.ts';
import { join, raw, type Sql, sql } from '../../../../sql/tag.ts';
import type { Database } from '../../connection/database.ts';
import { rowConditions, type SlicedWhere, type Window } from './conditions.ts';

/**
 * Work in slices: between two of them it can be stopped, or other work done. SQLite can't be interrupted within a statement.
 * Slices of 4,000 rows take 2 ms, and a third more time in total than one statement. A slice yields 'much' if what follows is
 * too much for the serving thread.
 */
export type Sliced<T> = Generator<'much' | undefined, T, void>;

/** Does all of it now. undefined: it yielded 'much', and was abandoned. */
export function unlessMuch<T>(work: Sliced<T>): T | undefined {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (value === 'much') {
      work.return(undefined as never);
      return undefined;
    }
  }
}

const firstSlice = 4_000;
const smallestSlice = 50;
export const largestSlice = 8_000;
/** Milliseconds. Rows that take longer to examine come in smaller slices. */
const sliceTime = 8;

/** The records to examine: a range of sequence numbers, or a list of them in ascending order. */
export type Source =
  | { readonly kind: 'range'; readonly first: number; readonly last: number }
  | { readonly kind: 'some'; readonly seqs: readonly number[] };

export interface Scan {
  readonly collection: StoredCollection;
  readonly where: SlicedWhere;
  readonly source: Source;
  /** From the last record to the first. */
  readonly backwards?: boolean;
  /** Maximum number of records in a slice. */
  readonly most?: number;
}

/** Calls `take` with each slice, as a FROM clause with its conditions, and how many records are examined in it, until it has enough. */
export function* eachSlice(
  scan: Scan,
  take: (from: Sql, examined: number) => 'more' | 'enough',
): Sliced<void> {
  const { collection, where, source, backwards = false, most = largestSlice } = scan;
  const table = recordTable(collection);
  const length = source.kind === 'range' ? source.last - source.first + 1 : source.seqs.length;
  let size = Math.min(firstSlice, most);
  for (let done = 0; done < length; ) {
    const count = Math.min(size, length - done);
    const start = backwards ? length - done - count : done;
    const begun = performance.now();
    // No index but the rowid: the other indexes were tried already, and would be scanned in every slice.
    const conditions = [
      sliceOf(source, start, count),
      ...rowConditions(collection, where, windowOf(source, start, count)),
    ];
    if (take(sql`${table} NOT INDEXED WHERE ${join(conditions, ' AND ')}`, count) === 'enough') return;
    done += count;
    const elapsed = Math.max(0.1, performance.now() - begun);
    size = Math.round(Math.min(most, Math.max(smallestSlice, (count * sliceTime) / elapsed)));
    yield;
  }
}

function sliceOf(source: Source, start: number, count: number): Sql {
  if (source.kind === 'range')
    return sql`seq BETWEEN ${source.first + start} AND ${source.first + start + count - 1}`;
  return sql`seq IN (SELECT value FROM json_each(${JSON.stringify(source.seqs.slice(start, start + count))}))`;
}

function windowOf(source: Source, start: number, count: number): Window {
  if (source.kind === 'range')
    return { first: source.first + start, last: source.first + start + count - 1, count };
  const [first = 0, last = 0] = [source.seqs[start], source.seqs[start + count - 1]];
  return { first, last, count };
}

/** The sequence numbers of the matching records, with some columns of each. */
export function* rowsSliced(
  db: Database,
  scan: Scan,
  columns: readonly Sql[],
  take: (rows: ColumnValue[][]) => 'more' | 'enough',
): Sliced<void> {
  const selected = join([raw('seq'), ...columns], ', ');
  const order = raw(scan.backwards ? 'seq DESC' : 'seq');
  yield* eachSlice(scan, (from) => take(db.rows(sql`SELECT ${selected} FROM ${from} ORDER BY ${order}`)));
}
