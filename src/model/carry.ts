import type { Collection } from './collection.ts';
import type { Field } from './field.ts';
import { fieldType } from './field-types.ts';
import type { Json } from './json.ts';
import type { Values } from './payload.ts';

/** For each renamed field of the new schema, its name in the old one. */
export type Renames = ReadonlyMap<string, string>;

/** Converts a value of one field to a value of another without loss. */
export type Convert = (value: Json) => Json;

const stringTypes: ReadonlySet<string> = new Set(['text', 'email', 'url', 'content']);
const same: Convert = (value) => value;

/** undefined: values of the one can't become values of the other. Whether they are valid is checked later. */
export function findConversion(from: Field, to: Field): Convert | undefined {
  if (to.type === 'list') return toList(from, to);
  if (to.type === 'relation') return toRelation(from, to);
  if (from.type === to.type) return same;
  if (stringTypes.has(from.type) && stringTypes.has(to.type)) return same;
  const readable = from.type !== 'list' && !(from.type === 'relation' && from.kind === 'multiple');
  return readable && (to.type === 'text' || to.type === 'content') ? String : undefined;
}

function toList(from: Field, to: Extract<Field, { type: 'list' }>): Convert | undefined {
  if (from.type === 'list') {
    const item = findConversion(from.of, to.of);
    return item && ((value) => (value as Json[]).map(item));
  }
  if (from.type === 'relation' && from.kind === 'multiple') return to.of.type === 'text' ? same : undefined;
  const item = findConversion(from, to.of);
  return item && ((value) => [item(value)]);
}

function toRelation(from: Field, to: Extract<Field, { type: 'relation' }>): Convert | undefined {
  if (from.type !== 'relation' || from.to !== to.to) return undefined;
  if (from.kind === to.kind) return same;
  return to.kind === 'multiple' ? (value) => [value] : undefined;
}

export const originName = (name: string, renames: Renames) => renames.get(name) ?? name;

/** The old field from which the values of a new one come. */
export function originOf(from: Collection, field: Field, renames: Renames): Field | undefined {
  return from.fields.get(originName(field.name, renames));
}

/** Converts a record's values to the new schema; what can't be converted becomes unset. */
export function compileCarry(from: Collection, to: Collection, renames: Renames): (old: Values) => Values {
  const rules = [...to.fields.values()].map((field) => {
    const origin = originOf(from, field, renames);
    const convert = origin && findConversion(origin, field);
    const unset: Json = fieldType(field).plural(field) ? [] : null;
    // A new field gets its default in existing records.
    return {
      name: field.name,
      origin: origin?.name,
      convert,
      unset,
      otherwise: origin ? unset : (storedDefault(field) ?? unset),
    };
  });
  return (old) => {
    const values: Record<string, Json> = {};
    for (const { name, origin, convert, unset, otherwise } of rules) {
      const value = origin === undefined ? undefined : old[origin];
      const held = value !== undefined && !isUnset(value);
      values[name] = held && convert ? convert(value) : origin === undefined ? otherwise : unset;
    }
    return values;
  };
}

/** The default in stored form, as in a new record. One that an earlier version accepted and is invalid now stays as it is. */
export function storedDefault(field: Field): Json | undefined {
  if (field.default === undefined) return undefined;
  return fieldType(field).compile(field)(field.default, () => {}) ?? field.default;
}

export function isUnset(value: Json | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
