import { Issues } from '../failure.ts';
import type { Collection } from './collection.ts';
import type { Check, Field } from './field.ts';
import { fieldType } from './field-types.ts';
import type { Json, JsonObject } from './json.ts';
import { hints } from './nearest.ts';

/** Values of a record by field name, validated and in the form to store. */
export type Values = Readonly<Record<string, Json>>;

export interface Payload {
  readonly values: Values;
  /** `_owner` and `_workspace`, if the caller may assign a record to somebody and did. */
  readonly binding: Binding;
}

export interface Binding {
  readonly owner?: string | null;
  readonly workspace?: string | null;
}

/** Reads request bodies for one version of a collection's schema. */
export interface PayloadReader {
  /** A value for every field: what was sent, the default, or the unset value. */
  create(body: JsonObject, mayBind: boolean): Payload;
  /** Only what was sent. */
  update(body: JsonObject, mayBind: boolean): Payload;
}

interface CompiledField {
  readonly field: Field;
  readonly check: Check;
  readonly unset: Json;
  readonly fallback: Json;
}

const serviceFields = new Set(['_id', '_createdAt', '_updatedAt', '_owner', '_workspace']);

export function compilePayload(collection: Collection): PayloadReader {
  const compiled = [...collection.fields.values()].map(compileField);
  const names = new Set(collection.fields.keys());

  function read(body: JsonObject, mayBind: boolean, whole: boolean): Payload {
    const issues = new Issues();
    const values: Record<string, Json> = {};
    for (const entry of compiled) {
      const { name } = entry.field;
      const sent = Object.hasOwn(body, name);
      if (!sent && !whole) continue;
      values[name] = readValue(entry, sent ? (body[name] ?? null) : entry.fallback, issues);
    }
    const binding = readBinding(body, names, mayBind, issues);
    issues.done();
    return { values, binding };
  }
  return {
    create: (body, mayBind) => read(body, mayBind, true),
    update: (body, mayBind) => read(body, mayBind, false),
  };
}

function compileField(field: Field): CompiledField {
  const type = fieldType(field);
  const unset = type.plural(field) ? [] : null;
  return { field, check: type.compile(field), unset, fallback: field.default ?? null };
}

function readValue({ field, check, unset }: CompiledField, raw: Json, issues: Issues): Json {
  const empty = raw === null || raw === '' || (Array.isArray(raw) && raw.length === 0);
  if (empty && field.required) {
    issues.note(field.name, 'is required');
    return unset;
  }
  if (raw === null) return unset;
  const report = (message: string, at = '') => issues.note(`${field.name}${at}`, message);
  return check(raw, report) ?? unset;
}

/** Refuses keys that are not fields, except for a binding by a caller who may set one. */
function readBinding(
  body: JsonObject,
  names: ReadonlySet<string>,
  mayBind: boolean,
  issues: Issues,
): Binding {
  const binding: { owner?: string | null; workspace?: string | null } = {};
  let hint: ReturnType<typeof hints> | undefined;
  for (const at in body) {
    if (issues.full) break;
    if (names.has(at)) continue;
    const value = body[at] ?? null;
    if (mayBind && (at === '_owner' || at === '_workspace')) {
      if (value !== null && typeof value !== 'string') issues.note(at, 'must be an _id or null');
      else if (at === '_owner') binding.owner = value;
      else binding.workspace = value;
    } else if (serviceFields.has(at)) {
      issues.note(at, "is set by the service and can't be written");
    } else {
      hint ??= hints(names);
      issues.note(at || '(empty)', `is not a field of this collection${hint(at)}`);
    }
  }
  return binding;
}
