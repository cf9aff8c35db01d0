import type { CursorCipher } from '../access/cursor-cipher.ts';
import { digest } from '../access/secret.ts';
import type { Query } from '../query/query.ts';
import type { Position, SortKey } from '../store/plans.ts';
import type { StoredCollection } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

/** Most bytes of sort values in a cursor, which has to fit into a URL. Longer ones are replaced with their digest. */
const mostBytes = 2_000;

/** The list that a cursor belongs to. */
export interface CursorList {
  readonly store: Store;
  readonly cipher: CursorCipher;
  readonly collection: StoredCollection;
  readonly sort: readonly SortKey[];
}

/** The value for the next `after`: where the page ended, and in which list. */
export function writeCursor(list: CursorList, { seq, values }: Position): string {
  const text = JSON.stringify(values);
  const kept = Buffer.byteLength(text) <= mostBytes ? values : { digest: digest(text) };
  return list.cipher.close(JSON.stringify([listName(list), seq, kept]));
}

/** The position after which to continue; undefined at the start of a walk, and if the cursor is invalid. */
export async function readCursor(
  query: Query,
  list: CursorList,
  text: string,
): Promise<Position | undefined> {
  if (text === '') return undefined;
  const [name, seq, kept] = openCursor(list.cipher, text);
  if (name === undefined || seq === undefined || kept === undefined) {
    query.fault('after', "is not a cursor of this server: send 'next' of the page before as it came");
    return undefined;
  }
  if (name !== listName(list)) {
    query.fault(
      'after',
      'is a cursor of another collection, sort or definition: begin again with an empty one',
    );
    return undefined;
  }
  if (!('digest' in kept)) return { seq, values: kept };
  const position = await list.store.findPosition({ collection: list.collection.ref, sort: list.sort, seq });
  if (position && digest(JSON.stringify(position.values)) === kept.digest) return position;
  query.fault(
    'after',
    'ended at a record with a long value, which was changed or deleted since: begin again with an empty one',
  );
  return undefined;
}

type Opened = [name: string, seq: number, kept: Position['values'] | { digest: string }];

/** Positions of the change feed and tickets are encrypted with the same key, but they are not cursors. */
function openCursor(cipher: CursorCipher, text: string): Opened | [] {
  const opened = cipher.open(text);
  return opened?.startsWith('[') ? (JSON.parse(opened) as Opened) : [];
}

/** Contains the collection's key: a cursor becomes invalid with the definition it was made under. */
function listName({ collection, sort }: CursorList): string {
  return `${collection.key}?${sort.map(({ name, descending }) => (descending ? `-${name}` : name)).join(',')}`;
}
