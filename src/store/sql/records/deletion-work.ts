import type { Values } from '../../../model/payload.ts';
import type { StoredCollection } from '../../schema.ts';
import { countElements, firstWithin, work } from '../../sizes.ts';
import type { Connection } from '../dialect.ts';
import type { StoredRecord } from './placed-record.ts';
import { type Place, readRecords } from './referring.ts';

/** Bytes read at a time: only then is it known how many items their lists have. */
const chunk = 512 * 1024;

/** The minimum work that a record takes in a deletion, before it is read: its lists may take more. */
export const readingWork = ({ bytes }: Place): number => work.remove(bytes, 0);

export const removalWork = ({ length = 0, values }: StoredRecord): number =>
  work.remove(length, countElements(values));

export function clearingWork({ length = 0, values }: StoredRecord, changed: Values): number {
  const before = Object.fromEntries(Object.keys(changed).map((name) => [name, values[name] ?? null]));
  const moved = countElements(before) - countElements(changed);
  return work.change(length, length, countElements(values), moved);
}

/** The minimum of that, before it is known what the record loses. */
export const keepingWork = (record: StoredRecord): number => clearingWork(record, {});

/** Reads the first of them, until they take more than `most`. */
export async function readWithin(
  db: Connection,
  collection: StoredCollection,
  places: readonly Place[],
  most: number,
  workOf: (record: StoredRecord) => number,
): Promise<StoredRecord[]> {
  const read: StoredRecord[] = [];
  for (let sum = 0, at = 0; at < places.length && sum <= most; ) {
    const some = firstWithin(places.slice(at), chunk, ({ bytes }) => bytes);
    at += some.length;
    for (const record of await readRecords(db, collection, some)) {
      read.push(record);
      sum += workOf(record);
    }
  }
  return read;
}
