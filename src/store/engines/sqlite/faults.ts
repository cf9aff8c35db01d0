import { Failure } from '../../../failure.ts';
import type { Values } from '../../../model/payload.ts';
import { StaleSchema, type StoredCollection } from '../../schema.ts';
import { fieldOfColumn } from '../../sql/names.ts';
import { SqliteFault } from './driver.ts';

const constraintUnique = 2067;
const primary = (code: number) => code & 0xff;
const [busy, ioError, corrupt, full, cantOpen, notDatabase] = [5, 10, 11, 13, 14, 26];

/** A unique value that is taken, in the words of the schema. Anything else is given back as it came. */
export function uniqueFailure(error: unknown, collection: StoredCollection, values: Values): unknown {
  if (!(error instanceof SqliteFault) || error.code !== constraintUnique) return error;
  // UNIQUE constraint failed: r1.f2, r1.f3
  const columns = [...error.message.matchAll(/\br\d+\.(f\d+)/g)].map(([, column]) => column ?? '');
  const fields = columns.map((column) => fieldOfColumn(collection, column) ?? column);
  const [only] = fields;
  if (fields.length === 1 && only) {
    return new Failure('conflict', [
      { at: only, message: `${JSON.stringify(values[only])} is already taken` },
    ]);
  }
  return new Failure('conflict', [{ at: fields.join(', '), message: 'another record has the same values' }]);
}

/** Tables are dropped some time after their collection was changed or deleted. */
export function isTableGone(error: unknown): boolean {
  return error instanceof SqliteFault && /no such table: (main\.)?[rlspt]\d/.test(error.message);
}

/** The file is no database, or not any more. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof SqliteFault && [corrupt, notDatabase].includes(primary(error.code));
}

/** Trouble with the disk or the file, which may pass. */
export function isTrouble(error: unknown): boolean {
  return error instanceof SqliteFault && [busy, ioError, full, cantOpen].includes(primary(error.code));
}

export function translate(error: unknown): unknown {
  if (isTableGone(error)) return new StaleSchema();
  if (isTrouble(error)) {
    return new Failure('unavailable', 'The database can not be written or read right now: try again', {
      retryAfter: 5,
    });
  }
  return error;
}
