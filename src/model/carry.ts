import type { Collection } from './collection.ts';
import type { Field } from './field.ts';
import { fieldType } from './field-types.ts';
import type { Json } from './json.ts';
import type { Values } from './payload.ts';

/** Which field of the old schema each renamed field of the new one was. */
export type Renames = ReadonlyMap<string, string>;

/** A value of one field as a value of another, where nothing is lost by it. */
export type Convert = (value: Json) => Json;

const stringTypes: ReadonlySet<string> = new Set(['text', 'email', 'url', 'content']);
const same: Convert = (value) => value;

/** undefined: values of the one can't become values of the other. Whether they fit is for its checks to say. */
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

/** Where the values of a field of the new schema come from. */
export function originOf(from: Collection, field: Field, renames: Renames): Field | undefined {
  return from.fields.get(originName(field.name, renames));
}

/** A record's values under the new schema; what can't be carried over is unset. */
export function compileCarry(from: Collection, to: Collection, renames: Renames): (old: Values) => Values {
  const rules = [...to.fields.values()].map((field) => {
    const origin = originOf(from, field, renames);
    const convert = origin && findConversion(origin, field);
    const unset: Json = fieldType(field).plural(field) ? [] : null;
    // A field that is new takes its default in the records that are there already.
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

/** As a new record would get it: a time is written in one way. What an earlier version accepted and is none stays as it is. */
export function storedDefault(field: Field): Json | undefined {
  if (field.default === undefined) return undefined;
  return fieldType(field).compile(field)(field.default, () => {}) ?? field.default;
}

export function isUnset(value: Json | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
