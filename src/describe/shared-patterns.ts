import type { Field } from '../model/field.ts';
import { fieldType } from '../model/field-types.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';

/** Patterns of types are long, so each is in a document once, and schemas refer to it. */

const named: readonly [string, Field][] = [
  ['_email', { type: 'email', name: '' }],
  ['_url', { type: 'url', name: '' }],
  ['_instant', { type: 'datetime', name: '' }],
];

const patterns = named.map(([name, field]) => ({ name, ...patternOf(field) }));
const names = new Map(patterns.map(({ name, pattern }) => [pattern, name]));

function patternOf(field: Field): { readonly pattern: Json; readonly schema: JsonObject } {
  const { pattern = '' } = fieldType(field).schema.sent(field);
  return { pattern, schema: { type: 'string', pattern } };
}

export const patternSchemas: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  patterns.map(({ name, schema }) => [name, schema]),
);

/** Takes the schema of a value, of a list of values, or of an object of them. */
export function withSharedPatterns(schema: JsonObject): JsonObject {
  const { properties, items } = schema;
  if (isJsonObject(properties)) {
    const parts = Object.entries(properties).map(([name, part]) => {
      return [name, isJsonObject(part) ? withSharedPatterns(part) : part];
    });
    return { ...schema, properties: Object.fromEntries(parts) };
  }
  if (isJsonObject(items)) return { ...schema, items: withSharedPatterns(items) };
  const { type, pattern, ...rest } = schema;
  const name = typeof pattern === 'string' ? names.get(pattern) : undefined;
  if (name === undefined) return schema;
  const reference = { $ref: `#/components/schemas/${name}` };
  return type === 'string' ? { ...reference, ...rest } : { anyOf: [reference, { type: 'null' }], ...rest };
}
