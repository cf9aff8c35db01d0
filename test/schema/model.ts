import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Row } from '../support.ts';

/** What a change of schema must do to records, said once more in a few lines and without the product's code. */

export interface Field extends JsonObject {
  type: string;
}
export interface Definition extends JsonObject {
  id: string;
  fields: Record<string, Field>;
  indexes: { fields: string[]; unique: boolean }[];
}

const strings = ['text', 'email', 'url', 'content'];
export const isMany = (field: Field) => field.type === 'list' || field.kind === 'multiple';
const unset = (value: Json | undefined) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);
const itemOf = (field: Field): Field => (field.type === 'list' ? (field.of as Field) : field);

/** How one value goes from a field to another; undefined where it can't. */
function carrier(from: Field, to: Field): ((value: Json) => Json) | undefined {
  if (isMany(to)) {
    if (to.type === 'relation') {
      if (from.type !== 'relation' || from.to !== to.to) return undefined;
      return isMany(from) ? (value) => value : (value) => [value];
    }
    const source = from.type === 'relation' ? { ...from, kind: 'single' } : itemOf(from);
    const one = carrier(source, itemOf(to));
    if (!one || (from.type === 'relation' && isMany(from) && itemOf(to).type !== 'text')) return undefined;
    return (value) => (Array.isArray(value) ? value.map(one) : [one(value)]);
  }
  if (isMany(from)) return undefined;
  if (to.type === 'relation') {
    return from.type === 'relation' && from.to === to.to ? (value) => value : undefined;
  }
  if (from.type === to.type || (strings.includes(from.type) && strings.includes(to.type))) {
    return (value) => value;
  }
  return ['text', 'content'].includes(to.type) ? (value) => String(value) : undefined;
}

/** `renamedFrom` counts only where the old field is still there under that name. */
function originName(old: Definition, name: string, field: Field): string | undefined {
  const renamed = field.renamedFrom;
  if (typeof renamed === 'string' && Object.hasOwn(old.fields, renamed)) return renamed;
  return Object.hasOwn(old.fields, name) ? name : undefined;
}

export function losesValues(old: Definition, next: Definition): boolean {
  const kept = new Set<string | undefined>();
  for (const [name, field] of Object.entries(next.fields)) {
    const origin = originName(old, name, field);
    kept.add(origin);
    const from = origin === undefined ? undefined : old.fields[origin];
    if (from && !carrier(from, field)) return true;
  }
  return Object.keys(old.fields).some((name) => !kept.has(name));
}

export function carried(old: Definition, next: Definition, row: Row): Record<string, Json> {
  const values = Object.entries(next.fields).map(([name, field]): [string, Json] => {
    const empty: Json = isMany(field) ? [] : null;
    const origin = originName(old, name, field);
    const from = origin === undefined ? undefined : old.fields[origin];
    if (origin === undefined || !from) return [name, (field.default as Json | undefined) ?? empty];
    const value = row[origin];
    if (value === undefined || unset(value)) return [name, empty];
    return [name, carrier(from, field)?.(value) ?? empty];
  });
  return Object.fromEntries(values);
}

/** Whether a record may hold this value of a field. */
export function fits(field: Field, value: Json): boolean {
  if (unset(value) || value === '') {
    if (field.required) return false;
    if (unset(value)) return true;
  }
  if (isMany(field)) {
    const items = value as Json[];
    if (items.length > Number(field.maxItems ?? Infinity) || items.length < Number(field.minItems ?? 0))
      return false;
    if (field.uniqueItems && new Set(items).size < items.length) return false;
    return field.type === 'relation' || items.every((item) => fits(field.of as Field, item));
  }
  switch (field.type) {
    case 'number': {
      const held = Number(value);
      const inRange = held >= Number(field.min ?? -Infinity) && held <= Number(field.max ?? Infinity);
      return inRange && !(field.integer && !Number.isSafeInteger(held));
    }
    case 'datetime': {
      const at = (bound: Json | undefined, otherwise: number) =>
        bound === undefined ? otherwise : Date.parse(String(bound));
      return (
        Date.parse(String(value)) >= at(field.min, -Infinity) &&
        Date.parse(String(value)) <= at(field.max, Infinity)
      );
    }
    case 'email':
      return /^\S+@\S+\.\S+$/.test(String(value)) && isShort(field, value);
    case 'url':
      return /^https?:\/\//.test(String(value)) && isShort(field, value);
    case 'text':
    case 'content': {
      if (!isShort(field, value) || [...String(value)].length < Number(field.minLength ?? 0)) return false;
      if (field.pattern && !new RegExp(String(field.pattern)).test(String(value))) return false;
      return !field.options || (field.options as Json[]).includes(value);
    }
    default:
      return true;
  }
}

const isShort = ({ maxLength }: Field, value: Json) =>
  [...String(value)].length <= Number(maxLength ?? Infinity);

/** Whether these records may be together under a definition. */
export function allFit(next: Definition, rows: readonly Record<string, Json>[]): boolean {
  const alone = Object.keys(next.fields).filter((name) => next.fields[name]?.unique);
  const uniques = [
    ...alone.map((name) => [name]),
    ...next.indexes.filter(({ unique }) => unique).map(({ fields }) => fields),
  ];
  return misfits(next, rows) === 0 && uniques.every((names) => allDiffer(next, rows, names));
}

/** How many records do not fit, each for itself. */
export function misfits({ fields }: Definition, rows: readonly Record<string, Json>[]): number {
  const misfit = (row: Record<string, Json>) =>
    Object.entries(fields).some(([name, field]) => !fits(field, row[name] ?? null));
  return rows.filter(misfit).length;
}

export const isUnique = ({ fields, indexes }: Definition) =>
  Object.values(fields).some(({ unique }) => unique) || indexes.some(({ unique }) => unique);

function allDiffer(
  { fields }: Definition,
  rows: readonly Record<string, Json>[],
  names: readonly string[],
): boolean {
  const folded = (name: string, value: Json) =>
    fields[name]?.type === 'email' && value !== null ? String(value).toLowerCase() : value;
  const held = rows
    .map((row) => names.map((name) => folded(name, row[name] ?? null)))
    .filter((values) => !values.includes(null));
  return new Set(held.map((values) => JSON.stringify(values))).size === held.length;
}

/** The texts that search looks at. */
export function searched({ fields }: Definition, row: Row): string[] {
  const looked = Object.keys(fields).filter((name) => {
    const field = fields[name];
    return field && strings.includes(field.type === 'list' ? itemOf(field).type : field.type);
  });
  return looked.flatMap((name) => [row[name] ?? []].flat()).map(String);
}
