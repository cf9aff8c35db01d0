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

/** In the lists and multiple relations of a record that is written by itself. */
const mostElements = 60_000;

/** Refuses a record for whose lists other writes would wait. */
export function checkElements(values: Values): void {
  const count = countElements(values);
  if (count <= mostElements) return;
  throw new Failure(
    'invalid',
    `Its lists have ${count} items together, and ${mostElements} are the most: spread them over several records`,
  );
}

/** Of an element that comes or goes, as below. */
const elementWork = 350;

/**
 * What others wait for while a record is written in a transaction, counted in characters of a new one, which take 8 ns on
 * SQLite: one that was there before is parsed, its lists longer than its texts, and each element that comes or goes is a row.
 */
export const work = {
  create: (json: string, elements: number): number => json.length + elementWork * elements,
  /** `before`, `after`: lengths of the JSON. `elements`: of the record, `moved`: those that came and went. */
  change: (before: number, after: number, elements: number, moved: number): number =>
    (before + after) / 3 + 32 * elements + elementWork * moved,
  remove: (length: number, elements: number): number => (2 * length) / 3 + elementWork * elements,
};

/** What a deletion does to other records in one transaction, and what one slice does of a deletion that is larger. */
export const largestDeletion = 8 * 1024 * 1024;
export const deletionSlice = 4 * 1024 * 1024;

/** The first ones that are not too large together, and one at least. */
export function firstWithin<T>(items: readonly T[], most: number, sizeOf: (item: T) => number): T[] {
  let sum = 0;
  const end = items.findIndex((item, index) => {
    sum += sizeOf(item);
    return index > 0 && sum > most;
  });
  return items.slice(0, end < 0 ? items.length : end);
}

export function tooMuchWork(): Failure {
  return new Failure(
    'invalid',
    'up to here the batch writes and removes more than can be done at a time: send fewer operations in a batch',
  );
}
