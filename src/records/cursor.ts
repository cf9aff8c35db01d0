import type { CursorCipher } from '../access/cursor-cipher.ts';
import type { Query } from '../query/query.ts';
import type { Position, SortKey } from '../store/plans.ts';
import type { StoredCollection } from '../store/schema.ts';

/** The value for the next `after`: where the page ended, and in which list. */
export function writeCursor(
  cipher: CursorCipher,
  collection: StoredCollection,
  sort: readonly SortKey[],
  end: Position,
): string {
  return cipher.close(JSON.stringify([listName(collection, sort), end.seq, ...end.values]));
}

/** The place after which to go on; undefined at the start of a walk, and where the cursor is not good. */
export function readCursor(
  query: Query,
  cipher: CursorCipher,
  collection: StoredCollection,
  sort: readonly SortKey[],
  text: string,
): Position | undefined {
  if (text === '') return undefined;
  const opened = cipher.open(text);
  const [name, seq, ...values] =
    opened === undefined ? [] : (JSON.parse(opened) as [string, number, ...string[]]);
  if (name === undefined || seq === undefined) {
    query.fault('after', "is not a cursor of this server: send 'next' of the page before as it came");
  } else if (name !== listName(collection, sort)) {
    query.fault(
      'after',
      'is a cursor of another collection, sort or definition: begin again with an empty one',
    );
  } else {
    return { seq, values };
  }
  return undefined;
}

/** By the collection's key: a cursor is over with the definition it was made under. */
function listName(collection: StoredCollection, sort: readonly SortKey[]): string {
  return `${collection.key}?${sort.map(({ name, descending }) => (descending ? `-${name}` : name)).join(',')}`;
}
