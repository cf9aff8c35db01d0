import { Failure } from '../failure.ts';
import type { Values } from '../model/payload.ts';

/** Bytes of an answer, of all that is included in it, and of the values of one field in distinct. */
export const largestAnswer = 64 * 1024 * 1024;
export const largestInclude = 16 * 1024 * 1024;
export const largestDistinct = 16 * 1024 * 1024;

/** Refuses a record that is larger than a write may make one. `most`: bytes of its JSON; undefined: any size. */
export function checkRecordSize(json: string, most: number | undefined): void {
  if (most === undefined || json.length * 3 <= most) return; // a character takes three bytes at most, or two are four
  const bytes = Buffer.byteLength(json);
  if (bytes <= most) return;
  throw new Failure(
    'invalid',
    `The record would have ${bytes} bytes as JSON, and ${most} are the most: shorten its texts and lists`,
  );
}

/** A page and what it includes may each be small enough, and too much together. */
export function checkAnswerSize(found: string, include: ReadonlyMap<string, string>): void {
  const texts = [found, ...include.values()];
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters * 3 <= largestAnswer) return;
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > largestAnswer) throw pageTooLarge();
}

export function pageTooLarge(): Failure {
  return new Failure('invalid', [
    {
      at: 'perPage',
      message: `the page would have more than ${largestAnswer} bytes: ask for fewer records, or export them`,
    },
  ]);
}

export function includeTooLarge(): Failure {
  return new Failure('invalid', [
    {
      at: 'perPage',
      message: `the included records would have more than ${largestInclude} bytes: ask for fewer records or paths`,
    },
  ]);
}

export function valuesTooLarge(name: string): Failure {
  return new Failure('invalid', [
    {
      at: 'fields',
      message: `the values of '${name}' would have more than ${largestDistinct} bytes: narrow them down with filters or search`,
    },
  ]);
}

export function distinctTooLarge(): Failure {
  return new Failure('invalid', [
    { at: 'fields', message: `the values would have more than ${largestAnswer} bytes: ask for fewer fields` },
  ]);
}

export function batchTooLarge(): Failure {
  return new Failure(
    'invalid',
    `The answer would have more than ${largestAnswer} bytes: send fewer operations in a batch`,
  );
}

/** How many elements the lists and multiple relations among the values have: each is a row that the record is found by. */
export function countElements(values: Values): number {
  let count = 0;
  for (const value of Object.values(values)) if (Array.isArray(value)) count += value.length;
  return count;
}

/** Refuses a record for whose lists other writes would wait. `most`: undefined for any number. */
export function checkElements(values: Values, most: number | undefined): void {
  const count = most === undefined ? 0 : countElements(values);
  if (most === undefined || count <= most) return;
  throw new Failure(
    'invalid',
    `Its lists have ${count} elements together, and ${most} are the most of a request: spread them over several records`,
  );
}

export function tooManyElements(most: number): Failure {
  return new Failure(
    'invalid',
    `the lists of the batch have more than ${most} elements up to here: send fewer operations at a time`,
  );
}
