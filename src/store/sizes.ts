import { Failure } from '../failure.ts';
import type { Values } from '../model/payload.ts';
import type { WalkPlan } from './plans.ts';
import { bytesOf, type RecordTexts } from './record-texts.ts';

/** The most bytes of an answer, of everything that it includes, and of the values of one field in distinct. */
export let largestAnswer = 64 * 1024 * 1024;
export let largestInclude = largestAnswer / 4;
export let largestDistinct = largestAnswer / 4;

/** Sets these for the whole thread, before it answers anything: each thread has its own. */
export function limitAnswers(bytes: number): void {
  largestAnswer = bytes;
  largestInclude = Math.floor(bytes / 4);
  largestDistinct = largestInclude;
}

/**
 * Bytes above which a page is read and sent in parts: at this size, that of a hundred records that need not be measured, it takes
 * the thread that serves some 20 ms.
 */
export const largePage = 100 * 64 * 1024;

/** Refuses a record that would be larger than allowed. `most`: bytes of its JSON; undefined: any size. */
export function checkRecordSize(json: string, most: number | undefined): void {
  if (most === undefined || json.length * 3 <= most) return; // a UTF-16 unit takes at most three bytes
  const bytes = Buffer.byteLength(json);
  if (bytes <= most) return;
  throw new Failure(
    'invalid',
    `The record would have ${bytes} bytes as JSON, and ${most} are the most: shorten its texts and lists`,
  );
}

/** A page and what it includes may each be small enough, but too large together. */
export function checkAnswerSize(found: string | RecordTexts, include: ReadonlyMap<string, string>): void {
  const [texts, bytes] = typeof found === 'string' ? [[found], 0] : [[], bytesOf(found)];
  if (isAnswerTooLarge([...texts, ...include.values()], bytes)) throw pageTooLarge();
}

export function checkBatchSize(results: readonly string[]): void {
  if (isAnswerTooLarge(results)) throw batchTooLarge();
}

/** `bytes`: those that it has besides. */
function isAnswerTooLarge(texts: readonly string[], bytes = 0): boolean {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (bytes + characters * 3 <= largestAnswer) return false;
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), bytes) > largestAnswer;
}

/** Bytes that the records of a page of a walk may have. */
export function roomOf({ include, most = largestAnswer }: Pick<WalkPlan, 'include' | 'most'>): number {
  return Math.min(most, include.length > 0 ? largestAnswer - largestInclude : largestAnswer);
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
  const message = `the included records would have more than ${largestInclude} bytes: ask for fewer records or paths`;
  return new Failure('invalid', [{ at: 'perPage', message }], { fewer: true });
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

/** How many elements the lists and multiple relations among the values have. Each is a row of its own. */
export function countElements(values: Values): number {
  let count = 0;
  for (const value of Object.values(values)) if (Array.isArray(value)) count += value.length;
  return count;
}

/** The most elements in the lists and multiple relations of one record. */
const mostElements = 60_000;

/** Refuses a record whose lists would make other writes wait. */
export function checkElements(values: Values): void {
  const count = countElements(values);
  if (count <= mostElements) return;
  throw new Failure(
    'invalid',
    `Its lists have ${count} items together, and ${mostElements} are the most: spread them over several records`,
  );
}

/** The work for an element that is added or removed, as below. */
const elementWork = 350;

/**
 * The work that other writes wait for while a record is written. The unit is a character of a new record, which takes 8 ns on
 * SQLite. An existing record has to be parsed, which takes longer for lists than for texts, and each element that is added or
 * removed is a row.
 */
export const work = {
  create: (json: string, elements: number): number => json.length + elementWork * elements,
  /** `before`, `after`: lengths of the JSON. `elements`: those of the record. `moved`: those added and removed. */
  change: (before: number, after: number, elements: number, moved: number): number =>
    (before + after) / 3 + 32 * elements + elementWork * moved,
  remove: (length: number, elements: number): number => (2 * length) / 3 + elementWork * elements,
};

/** The most work on other records that a deletion does in one transaction, and that one slice of a larger deletion does. */
export const largestDeletion = 8 * 1024 * 1024;
export const deletionSlice = 4 * 1024 * 1024;

/** The first items that are not too large together, at least one. */
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
