import { digest } from '../../../access/secret.ts';
import { originName, type Renames } from '../../../model/carry.ts';
import type { Collection } from '../../../model/collection.ts';
import type { Json } from '../../../model/json.ts';
import type { Values } from '../../../model/payload.ts';
import { perCollection } from '../../cache.ts';

/**
 * A unique rule with an email among its fields. Addresses are compared case-insensitively, so uniqueness is enforced on an
 * extra column with a folded key. A record whose values collided with those of an older one before there were keys has none.
 */
export interface FoldedKey {
  /** `u2` for a field, `ui0` for an index over several. */
  readonly column: string;
  readonly fields: readonly string[];
  /** null: one of the values is unset, which never collides. */
  key(values: Values): string | null;
}

interface Keyed {
  readonly definition: Collection;
  readonly fieldKeys: ReadonlyMap<string, number>;
}

export function foldedKeysOf({ definition, fieldKeys }: Keyed): FoldedKey[] {
  const ofFields = [...definition.fields.values()]
    .filter((field) => field.unique && field.type === 'email')
    .map(({ name }) => keyOf(definition, `u${fieldKeys.get(name)}`, [name]));
  const ofIndexes = definition.indexes.flatMap(({ fields, unique }, position) =>
    unique && hasEmail(definition, fields) ? [keyOf(definition, `ui${position}`, fields)] : [],
  );
  return [...ofFields, ...ofIndexes];
}

/** The same for a stored collection, computed once per version. */
export const keysOf = perCollection((collection) => foldedKeysOf(collection));

export function hasEmail({ fields }: Collection, names: readonly string[]): boolean {
  return names.some((name) => fields.get(name)?.type === 'email');
}

function keyOf({ fields: all }: Collection, column: string, fields: readonly string[]): FoldedKey {
  const folded = (name: string, value: Json) =>
    all.get(name)?.type === 'email' ? String(value).toLowerCase() : value;
  return {
    column,
    fields,
    key(values) {
      const parts = fields.map((name) => values[name] ?? null);
      if (parts.includes(null)) return null;
      const [first = '', ...rest] = parts.map((value, index) => folded(fields[index] ?? '', value));
      // The values may be of any length, but index entries are limited.
      return rest.length === 0 ? String(first) : digest(JSON.stringify([first, ...rest]));
    },
  };
}

/** The previous definition's keys that a new one has too, by the columns of the new one. */
export function carriedKeys(from: Keyed, to: Keyed, renames: Renames): ReadonlyMap<string, FoldedKey> {
  const before = foldedKeysOf(from);
  const pairs = foldedKeysOf(to).flatMap(({ column, fields }) => {
    const origins = fields.map((name) => originName(name, renames)).join();
    const same = before.find((key) => key.fields.join() === origins);
    return same ? [[column, same] as const] : [];
  });
  return new Map(pairs);
}
