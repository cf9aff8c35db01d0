import type { Field } from '../../../../model/field.ts';
import { fieldType } from '../../../../model/field-types.ts';

/**
 * An entry of an index takes at most some 2,700 bytes, and a character up to four. Where values may be longer, the
 * index has their beginnings, and whoever uses it asks for the beginning as well as for the value: texts are in
 * the order of their beginnings, too.
 */
export const prefixLength = 250;

const longestIndexed = 600;

/** Whether a value is all of its beginning: then those that have this beginning have this value. */
export function isBeginning(value: string): boolean {
  return value.length < prefixLength || [...value].length < prefixLength;
}

/** In a table of values, those that do not fit have an index of their own: this tells them apart. */
export const longValue = `octet_length(value) > ${2_000}`;
export const shortValue = `octet_length(value) <= ${2_000}`;
export const isLongValue = (value: string) => Buffer.byteLength(value) > 2_000;

/**
 * Of what search looks at, the index of trigrams has the texts of up to so many bytes. One of a megabyte has tens of thousands
 * of them, and took the index a second, for which everybody waited who wrote to the collection.
 */
const longestText = 20_000;
export const longText = `octet_length(text) > ${longestText}`;
export const shortText = `octet_length(text) <= ${longestText}`;
export const isIndexedText = (text: string) =>
  text.length <= longestText && Buffer.byteLength(text) <= longestText;

/** Whether every value of the field fits into an index as it is. */
export function fitsIndex(field: Field): boolean {
  return longest(field) <= longestIndexed;
}

/** Characters that a value may have. */
function longest(field: Field): number {
  if (field.type === 'list') return longest(field.of);
  if (field.type === 'relation') return 36;
  if (fieldType(field).column(field) !== 'text') return 0;
  const most = field.type === 'email' ? 254 : longestOption(field);
  return Math.min('maxLength' in field ? (field.maxLength ?? most) : most, most);
}

function longestOption(field: Field): number {
  if (field.type !== 'text' || !field.options?.length) return Number.POSITIVE_INFINITY;
  return field.options.reduce((most, option) => Math.max(most, option.length), 0);
}

export interface IndexedColumn {
  readonly name: string;
  readonly field: Field;
}

/** What an index over columns holds, such that an entry is never too large. */
export function indexedParts(columns: readonly IndexedColumn[]): string[] {
  const taken = columns.slice(0, mostColumns);
  const texts = taken.filter(({ field }) => longest(field) > 0);
  const whole = texts.reduce((sum, { field }) => sum + longest(field), 0) <= longestIndexed;
  const room = Math.min(prefixLength, Math.floor(longestIndexed / Math.max(1, texts.length)));
  return taken.map(({ name, field }) => (whole || longest(field) <= room ? name : `left(${name}, ${room})`));
}

/** The same for a unique index: exact for values of any length. */
export function uniqueParts(columns: readonly IndexedColumn[]): string[] {
  const whole = columns.reduce((sum, { field }) => sum + longest(field), 0) <= longestIndexed;
  if (columns.length > mostColumns) return [digest(columns.map(measured).join(' || '))];
  return columns.map(({ name, field }) => (whole || longest(field) === 0 ? name : digest(name)));
}

/** Unset values come first in every sort; a descending one reads the index backwards. */
export const nullsFirst = (part: string) => `${part.includes('(') ? `(${part})` : part} NULLS FIRST`;

/** PostgreSQL takes 32, one of which is the place. */
const mostColumns = 31;

const measured = ({ name, field }: IndexedColumn) =>
  longest(field) === 0 ? `${name}::text || ':'` : `char_length(${name})::text || ':' || ${name}`;

/** Two texts with the same SHA-256 are not known to exist. NULL where the text is, so unset values do not collide. */
function digest(text: string): string {
  return `sha256(decode(replace(${text}, '\\', '\\\\'), 'escape'))`;
}
