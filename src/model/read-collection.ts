import { Issues, invalid } from '../failure.ts';
import type { Collection, IndexDefinition } from './collection.ts';
import type { Field } from './field.ts';
import { fieldType } from './field-types.ts';
import { someText } from './fields/constraints.ts';
import { isJsonObject, type Json, jsonKind } from './json.ts';
import {
  fieldNamePattern,
  fieldNameRule,
  futureFieldNames,
  idPattern,
  idRule,
  reservedFieldNames,
} from './names.ts';
import { hints } from './nearest.ts';
import { readApi } from './read-api.ts';
import { readField } from './read-field.ts';
import { type Fault, refuseUnknownKeys } from './unknown-keys.ts';

export const defaultMostFields = 200;
const mostIndexes = 20;
const keys = ['id', 'name', 'fields', 'indexes', 'api'];

export interface ReadOptions {
  readonly mostFields?: number;
  /** Whether a field with this name already exists, and so keeps a name that new ones may not have. */
  readonly hasField?: (name: string) => boolean;
  /** Defaults that an earlier version accepted are not checked again. */
  readonly trustDefaults?: boolean;
}

/**
 * Reads a stored definition, which may have been saved by a version with other rules: limits and reserved names are not checked
 * again, and the default that a relation could once have is dropped.
 */
export function readStoredCollection(raw: Json, others: ReadonlySet<string>): Collection {
  const fields = isJsonObject(raw) && isJsonObject(raw.fields) ? Object.entries(raw.fields) : [];
  const kept = fields.map(([name, field]) => {
    if (!isJsonObject(field) || field.type !== 'relation') return [name, field] as const;
    const { default: _, ...rest } = field;
    return [name, rest] as const;
  });
  return readCollection(isJsonObject(raw) ? { ...raw, fields: Object.fromEntries(kept) } : raw, others, {
    mostFields: Number.POSITIVE_INFINITY,
    hasField: () => true,
    trustDefaults: true,
  });
}

/** Reads unknown JSON as a Collection, or throws a Failure with all faults. `others`: the project's other collections. */
export function readCollection(
  raw: Json,
  others: ReadonlySet<string>,
  options: ReadOptions = {},
): Collection {
  const { mostFields = defaultMostFields } = options;
  const issues = new Issues();
  const fault: Fault = (at, message) => issues.note(at, message);
  if (!isJsonObject(raw)) {
    throw invalid([{ at: 'definition', message: `must be an object, not ${jsonKind(raw)}` }]);
  }
  refuseUnknownKeys(raw, keys, '', fault);

  const id = typeof raw.id === 'string' ? raw.id : '';
  if (!idPattern.test(id)) fault('id', idRule);
  const name = someText(raw.name ?? id, (message) => fault('name', message));

  const { fields, names } = readFields(raw.fields ?? {}, options, fault);
  if (names.size > mostFields) fault('fields', `must be at most ${mostFields}, not ${names.size}`);
  const hint = hints([...others, id]);
  for (const field of fields.values()) {
    if (field.type === 'relation' && field.to !== undefined && field.to !== id && !others.has(field.to)) {
      const { name: at, to } = field;
      fault(`fields.${at}.to`, `there is no collection '${to}'${hint(to) || ': create it first'}`);
    }
  }
  const collection: Collection = {
    id,
    name: name as string,
    fields,
    indexes: readIndexes(raw.indexes ?? [], fields, names, fault),
    api: readApi(raw.api ?? {}, names, fault),
  };
  issues.done();
  return collection;
}

/** The fields that could be read, and the names of all, so that one fault does not cause others. */
function readFields(
  raw: Json,
  { hasField = () => false, trustDefaults = false }: ReadOptions,
  fault: Fault,
): { fields: Map<string, Field>; names: Set<string> } {
  const fields = new Map<string, Field>();
  if (!isJsonObject(raw)) {
    fault('fields', 'must be an object of field names and their definitions');
    return { fields, names: new Set() };
  }
  const folded = new Map<string, string>();
  for (const [name, definition] of Object.entries(raw)) {
    const at = `fields.${name}`;
    const twin = folded.get(name.toLowerCase());
    if (!fieldNamePattern.test(name)) fault(at, `the name ${fieldNameRule}`);
    else if (reservedFieldNames.has(name) || (futureFieldNames.has(name) && !hasField(name)))
      fault(at, 'is a name of the service: choose another');
    else if (twin !== undefined)
      fault(at, `differs from ${twin} only in upper and lower case: choose another`);
    folded.set(name.toLowerCase(), name);
    const field = readField(name, definition, at, fault, trustDefaults);
    if (field) fields.set(name, field);
  }
  return { fields, names: new Set(Object.keys(raw)) };
}

function readIndexes(
  raw: Json,
  fields: ReadonlyMap<string, Field>,
  names: ReadonlySet<string>,
  fault: Fault,
): IndexDefinition[] {
  if (!Array.isArray(raw)) {
    fault('indexes', 'must be an array of { "fields": [...], "unique": true or false }');
    return [];
  }
  if (raw.length > mostIndexes) fault('indexes', `must be at most ${mostIndexes}, not ${raw.length}`);
  const hint = hints(names);
  const verifyName = (name: Json, at: string) => {
    if (typeof name !== 'string') return fault(at, 'must be the name of a field');
    const field = fields.get(name);
    if (!names.has(name)) fault(at, `there is no field '${name}'${hint(name)}`);
    else if (field && fieldType(field).plural(field))
      fault(at, `'${name}' holds several values and can't be part of an index`);
  };
  return raw.map((definition: Json, position) =>
    readIndex(definition, `indexes[${position}]`, verifyName, fault),
  );
}

function readIndex(
  raw: Json,
  at: string,
  verifyName: (name: Json, at: string) => void,
  fault: Fault,
): IndexDefinition {
  if (!isJsonObject(raw) || !Array.isArray(raw.fields) || raw.fields.length === 0) {
    fault(at, 'must be an object with "fields", an array of one or more field names');
    return { fields: [] };
  }
  refuseUnknownKeys(raw, ['fields', 'unique'], `${at}.`, fault);
  raw.fields.forEach((name: Json, position) => {
    verifyName(name, `${at}.fields[${position}]`);
  });
  if (new Set(raw.fields).size < raw.fields.length) fault(`${at}.fields`, 'must not name a field twice');
  if (raw.unique !== undefined && typeof raw.unique !== 'boolean')
    fault(`${at}.unique`, 'must be true or false');
  return { fields: raw.fields as string[], ...(raw.unique === true && { unique: true }) };
}
