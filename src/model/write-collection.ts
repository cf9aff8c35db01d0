import type { Collection } from './collection.ts';
import type { JsonObject } from './json.ts';

/** A definition as JSON that `readCollection` accepts. */
export function writeCollection(collection: Collection): JsonObject {
  const fields = [...collection.fields.values()].map(({ name, ...definition }) => {
    if (definition.type !== 'list') return [name, definition] as const;
    const { name: _, ...of } = definition.of;
    return [name, { ...definition, of }] as const;
  });
  const { id, name, indexes, api } = collection;
  return { id, name, fields: Object.fromEntries(fields), indexes, api } as unknown as JsonObject;
}
