import { textCells } from '../cell.ts';
import type { Check, Field, FieldType, FilterRules, Report, ValueSchemas } from '../field.ts';
import { type Json, type JsonObject, jsonKind } from '../json.ts';
import { verifyOrder, wholeNumber } from './constraints.ts';

/** What text, email, url and content have in common. */

type StringField = Extract<Field, { minLength?: number }>;

/** A text that exceeds `maxLength` is not checked further if it is longer than this. */
const longestChecked = 10_000;

export const lengthConstraints = { minLength: wholeNumber, maxLength: wholeNumber };

export function verifyLengths(field: StringField, report: Report): void {
  verifyOrder(field.minLength, field.maxLength, ['minLength', 'maxLength'], report);
}

/** `also` has the rules of a specific type; it gets only well-formed strings. */
export function stringCheck(field: StringField, also?: (text: string, report: Report) => void): Check {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = field;
  return (value, report) => {
    if (typeof value !== 'string') {
      report(`must be a string, not ${jsonKind(value)}`);
      return undefined;
    }
    const malformed = malformation(value);
    if (malformed) {
      report(malformed);
      return undefined;
    }
    const tooLong = isLonger(value, maxLength);
    if (tooLong) report(`must be at most ${charactersOf(maxLength)} long`);
    if (minLength > 0 && countCharacters(value) < minLength) {
      report(`must be at least ${charactersOf(minLength)} long`);
    }
    if (!tooLong || value.length <= longestChecked) also?.(value, report);
    return value;
  };
}

/** No stored string contains U+0000. Lone surrogates need no rule here, as schemas are about valid Unicode. */
const storable = '^[^\\u0000]*$';

/** `pattern`: replaces the default one, and must exclude U+0000 as well. */
export function stringSchema(
  { minLength, maxLength }: Pick<StringField, 'minLength' | 'maxLength'>,
  pattern = storable,
): JsonObject {
  return {
    type: 'string',
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    pattern,
  };
}

export const stringSchemas: ValueSchemas<StringField> = {
  sent: (field) => stringSchema(field),
  answered: () => ({ type: 'string' }),
  filtered: () => ({ type: 'string', pattern: storable }),
};

/** What no engine could store and return unchanged. */
function malformation(text: string): string | undefined {
  if (text.includes('\0')) return 'must not hold the character U+0000';
  if (!text.isWellFormed()) return 'must not hold half of a surrogate pair';
  return undefined;
}

/** In code points, which are counted only if it matters. */
export function isLonger(text: string, most: number): boolean {
  return text.length > most && countCharacters(text) > most;
}

export function countCharacters(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) count--;
  }
  return count;
}

/** An example text of a length that the field allows. */
export function fittingText({ minLength = 0, maxLength = 200 }: StringField, text: string): string {
  return text.padEnd(minLength, '.').slice(0, maxLength);
}

const stringFilter: FilterRules = {
  operators: ['=', '!='],
  unset: [null, ''],
  alternatives: true,
  read: (text) => text,
  expects: 'a text',
};

export const stringBehaviour = {
  plural: () => false,
  column: () => 'text',
  toColumn: (value: Json) => value as string,
  fromColumn: (value) => value,
  filter: () => stringFilter,
  cells: () => textCells(30),
  searchable: () => true,
} as const satisfies Partial<FieldType<StringField>>;

const charactersOf = (count: number) => (count === 1 ? '1 character' : `${count} characters`);
