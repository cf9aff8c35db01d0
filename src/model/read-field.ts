import type { Field, FieldTypeName, ReadConstraint, ScalarField } from './field.ts';
import { fieldType, fieldTypes } from './field-types.ts';
import { flag, someText } from './fields/constraints.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { didYouMean } from './nearest.ts';
import { scalarTypes } from './scalar-types.ts';
import type { Fault } from './unknown-keys.ts';

/** The keys that every field definition may have. */
const common: Readonly<Record<string, ReadConstraint>> = {
  required: flag,
  unique: flag,
  index: flag,
  label: someText,
  description: someText,
  default: (raw) => raw, // validated when the whole field has been read
};

/** Reads one field of a definition, despite faults; undefined if not even its type is known. */
export function readField(
  name: string,
  raw: Json,
  at: string,
  fault: Fault,
  trustDefault: boolean,
): Field | undefined {
  const read = readTyped(name, raw, at, fieldTypes, common, fault);
  const field = read && withDefaults(read, raw as JsonObject, at, fault);
  if (!field) return undefined;

  const type = fieldType(field);
  let sound = true;
  const report = (message: string, place = '') => {
    sound = false;
    fault(`${at}${place}`, message);
  };
  type.verify?.(field, report);
  if (field.unique && !type.uniqueAllowed(field)) report('is not possible for this type', '.unique');
  if (sound && !trustDefault) verifyDefault(field, report);
  return field;
}

type Read = Record<string, unknown> & { type: FieldTypeName; name: string };

function readTyped(
  name: string,
  raw: Json,
  at: string,
  types: Readonly<Record<string, { readonly constraints: Readonly<Record<string, ReadConstraint>> }>>,
  also: Readonly<Record<string, ReadConstraint>>,
  fault: Fault,
): Read | undefined {
  if (!isJsonObject(raw)) {
    fault(at, 'must be an object with a "type"');
    return undefined;
  }
  const names = Object.keys(types);
  const given = typeof raw.type === 'string' ? raw.type : '';
  const type = Object.hasOwn(types, given) ? types[given] : undefined;
  if (!type) {
    fault(`${at}.type`, `must be one of ${names.join(', ')}${didYouMean(given, names)}`);
    return undefined;
  }
  const readers = { ...also, ...type.constraints };
  const field: Read = { type: given as FieldTypeName, name };
  for (const [key, value] of Object.entries(raw)) {
    if (key === 'type' || (key === 'of' && given === 'list')) continue;
    const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
    if (!reader) {
      const known = Object.keys(readers);
      fault(`${at}.${key}`, `is not a known key of type ${given}${didYouMean(key, known)}`);
      continue;
    }
    const read = reader(value, (message) => fault(`${at}.${key}`, message));
    if (read !== undefined) field[key] = read;
  }
  return field;
}

/** Adds what lists and relations must have. */
function withDefaults(read: Read, raw: JsonObject, at: string, fault: Fault): Field | undefined {
  if (read.type === 'list') {
    const of = readTyped(read.name, raw.of ?? null, `${at}.of`, scalarTypes, {}, fault);
    return of && ({ ...read, of: of as unknown as ScalarField } as unknown as Field);
  }
  if (read.type === 'relation') {
    if (raw.to === undefined) fault(`${at}.to`, 'is required: name the collection it points to');
    return { kind: 'single', onDelete: 'clear', ...read } as unknown as Field;
  }
  return read as unknown as Field;
}

function verifyDefault(field: Field, report: (message: string, at?: string) => void): void {
  const value = field.default;
  if (value === undefined) return;
  const empty = value === '' || (Array.isArray(value) && value.length === 0);
  if (value === null) report('must not be null: leave it out', '.default');
  else if (empty && field.required) report('must not be empty, as the field is required', '.default');
  else fieldType(field).compile(field)(value, (message, at = '') => report(message, `.default${at}`));
}
