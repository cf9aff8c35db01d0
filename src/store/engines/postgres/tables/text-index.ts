import type { Field } from '../../../../model/field.ts';
import { fieldType } from '../../../../model/field-types.ts';

/**
 * An index entry takes at most some 2,700 bytes, and a character up to four. Where values may be longer, the index holds
 * prefixes, and queries ask for the prefix as well as the value: the order of texts agrees with that of their prefixes.
 */
export const prefixLength = 250;

const longestIndexed = 600;

/** Whether a value is shorter than a full prefix: then whatever has this prefix has this value. */
export function isWithinPrefix(value: string): boolean {
  return value.length < prefixLength || [...value].length < prefixLength;
}

/** In a table of values, those too long for the index have an index of their own: this tells them apart. */
export const longValue = `octet_length(value) > ${2_000}`;
export const shortValue = `octet_length(value) <= ${2_000}`;
export const isLongValue = (value: string) => Buffer.byteLength(value) > 2_000;

/**
 * Bytes up to which a search text goes into the trigram index. A text of a megabyte has tens of thousands of trigrams and took
 * the index a second, for which all writers of the collection waited.
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

/** Maximum number of characters in a value. */
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

/** The index expressions for some columns, such that no entry is ever too large. */
export function indexedParts(columns: readonly IndexedColumn[]): string[] {
  const taken = columns.slice(0, mostColumns);
  const texts = taken.filter(({ field }) => longest(field) > 0);
  const whole = texts.reduce((sum, { field }) => sum + longest(field), 0) <= longestIndexed;
  const room = Math.min(prefixLength, Math.floor(longestIndexed / Math.max(1, texts.length)));
  return taken.map(({ name, field }) => (whole || longest(field) <= room ? name : `left(${name}, ${room})`));
}

/** The same for a unique index, which must be exact for values of any length. */
export function uniqueParts(columns: readonly IndexedColumn[]): string[] {
  const whole = columns.reduce((sum, { field }) => sum + longest(field), 0) <= longestIndexed;
  if (columns.length > mostColumns) return [digest(columns.map(measured).join(' || '))];
  return columns.map(({ name, field }) => (whole || longest(field) === 0 ? name : digest(name)));
}

/** Unset values come first in every sort; a descending sort reads the index backwards. */
export const nullsFirst = (part: string) => `${part.includes('(') ? `(${part})` : part} NULLS FIRST`;

/** PostgreSQL allows 32 columns, one of which is the sequence number. */
const mostColumns = 31;

const measured = ({ name, field }: IndexedColumn) =>
  longest(field) === 0 ? `${name}::text || ':'` : `char_length(${name})::text || ':' || ${name}`;

/** No two texts with the same SHA-256 are known. NULL for NULL, so unset values do not collide. */
function digest(text: string): string {
  return `sha256(decode(replace(${text}, '\\', '\\\\'), 'escape'))`;
}
