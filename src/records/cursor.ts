import type { Seal } from '../access/seal.ts';
import type { Collection } from '../model/collection.ts';
import type { Position, SortKey } from '../store/plans.ts';
import type { Query } from './query.ts';

/** The value for the next `after`: where the page ended, and in which list. */
export function writeCursor(
  seal: Seal,
  collection: Collection,
  sort: readonly SortKey[],
  end: Position,
): string {
  return seal.close(JSON.stringify([listName(collection, sort), end.seq, ...end.values]));
}

/** The place after which to go on; undefined at the start of a walk, and where the cursor is not good. */
export function readCursor(
  query: Query,
  seal: Seal,
  collection: Collection,
  sort: readonly SortKey[],
  text: string,
): Position | undefined {
  if (text === '') return undefined;
  const opened = seal.open(text);
  const [name, seq, ...values] =
    opened === undefined ? [] : (JSON.parse(opened) as [string, number, ...string[]]);
  if (name === undefined || seq === undefined) {
    query.fault('after', "is not a cursor of this server: send 'next' of the page before as it came");
  } else if (name !== listName(collection, sort)) {
    query.fault('after', 'is a cursor of another collection or another sort: begin again with an empty one');
  } else {
    return { seq, values };
  }
  return undefined;
}

function listName(collection: Collection, sort: readonly SortKey[]): string {
  return `${collection.id}?${sort.map(({ name, descending }) => (descending ? `-${name}` : name)).join(',')}`;
}
