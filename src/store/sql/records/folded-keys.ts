import { digest } from '../../../access/secret.ts';
import { originName, type Renames } from '../../../model/carry.ts';
import type { Collection } from '../../../model/collection.ts';
import type { Json } from '../../../model/json.ts';
import type { Values } from '../../../model/payload.ts';
import { perCollection } from '../../cache.ts';

/**
 * A unique rule with an email among its fields. Addresses are the same in whatever case they are written, so it is a
 * column with a folded key that is unique, beside those of the fields. A record whose values collided with an older
 * one's before there were keys has none.
 */
export interface FoldedKey {
  /** `u2` for a field, `ui0` for an index over several. */
  readonly column: string;
  readonly fields: readonly string[];
  /** null: something of it is unset, which never collides. */
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

/** The same for a collection as it is, made once for each version of it. */
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
      // Of any length, and an index takes only so much.
      return rest.length === 0 ? String(first) : digest(JSON.stringify([first, ...rest]));
    },
  };
}

/** The columns of keys that a changed definition has in common with the one before, by the new one's. */
export function carriedKeys(from: Keyed, to: Keyed, renames: Renames): ReadonlyMap<string, FoldedKey> {
  const before = foldedKeysOf(from);
  const pairs = foldedKeysOf(to).flatMap(({ column, fields }) => {
    const origins = fields.map((name) => originName(name, renames)).join();
    const same = before.find((key) => key.fields.join() === origins);
    return same ? [[column, same] as const] : [];
  });
  return new Map(pairs);
}
