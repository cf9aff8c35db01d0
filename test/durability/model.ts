import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../src/model/json.ts';
import { definition, type Row } from '../support.ts';

/** What the records should be. Records and relations are known by our own unique `key`, not by `_id`. */

export type Kind = 'groups' | 'items';
export const kinds: readonly Kind[] = ['groups', 'items'];

export interface Values {
  readonly title: string | null;
  readonly n: number | null;
  readonly tags: readonly string[];
  /** The key of one of `groups`. */
  readonly group: number | null;
  /** Keys of records of the same collection. */
  readonly peers: readonly number[];
}

export interface Entry extends Values {
  readonly kind: Kind;
  readonly key: number;
  readonly id: string | undefined;
  /** As it was last answered; undefined where it was changed since without being answered. */
  readonly row: Row | undefined;
}

export type Entries = ReadonlyMap<number, Entry>;

export interface Change {
  readonly method: 'create' | 'update' | 'delete';
  readonly kind: Kind;
  readonly key: number;
  readonly data: Partial<Values>;
}

/** By key: what the API says of one client's records. */
export type Found = ReadonlyMap<number, { readonly kind: Kind; readonly row: Row }>;

const blank: Values = { title: null, n: null, tags: [], group: null, peers: [] };

export function definitions(): JsonObject[] {
  return kinds.map((kind) =>
    definition(kind, {
      key: { type: 'number', integer: true, unique: true },
      title: { type: 'text' },
      n: { type: 'number', index: true },
      tags: { type: 'list', of: { type: 'text' } },
      group: { type: 'relation', to: 'groups' },
      peers: { type: 'relation', to: kind, kind: 'multiple' },
    }),
  );
}

/** `answers`: the records as the changes were answered, in their order. */
export function applyChanges(entries: Entries, changes: readonly Change[], answers: readonly Row[]): Entries {
  const next = new Map(entries);
  changes.forEach(({ method, kind, key, data }, index) => {
    if (method === 'delete') {
      next.delete(key);
      for (const entry of next.values()) {
        const cleared = withoutReferences(entry, key);
        if (cleared !== entry) next.set(entry.key, cleared);
      }
      return;
    }
    const row = answers[index];
    const old = next.get(key);
    next.set(key, { ...blank, ...old, ...data, kind, key, id: row?._id ?? old?.id, row });
  });
  return next;
}

function withoutReferences(entry: Entry, key: number): Entry {
  if (entry.group !== key && !entry.peers.includes(key)) return entry;
  return {
    ...entry,
    group: entry.group === key ? null : entry.group,
    peers: entry.peers.filter((peer) => peer !== key),
    row: undefined,
  };
}

/** Where the records are not as they should be; undefined where they are. */
export function mismatch(entries: Entries, found: Found): string | undefined {
  const keys = new Map([...found].map(([key, { row }]) => [row._id, key]));
  for (const [key, { row }] of found) if (!entries.has(key)) return `unexpected ${JSON.stringify(row)}`;
  for (const entry of entries.values()) {
    const there = found.get(entry.key);
    if (!there) return `missing ${JSON.stringify(entry)}`;
    const told = `${JSON.stringify(there.row)} is not ${JSON.stringify(entry)}`;
    if (entry.row && !isDeepStrictEqual(there.row, entry.row)) return told;
    const { title, n, tags, group, peers } = there.row;
    const actual = {
      ...{ kind: there.kind, title, n, tags },
      group: group === null ? null : keys.get(String(group)),
      peers: (peers as string[]).map((id) => keys.get(id)),
      id: entry.id === undefined ? undefined : there.row._id,
    };
    const { row: _row, key: _key, ...expected } = entry;
    if (!isDeepStrictEqual(actual, { ...expected })) return told;
  }
  return undefined;
}

/** The entries with what was found of them: ids that were not answered, times of indirect changes. */
export function learn(entries: Entries, found: Found): Entries {
  return new Map(
    [...entries].map(([key, entry]) => {
      const row = found.get(key)?.row;
      return [key, { ...entry, row, id: row?._id }];
    }),
  );
}
