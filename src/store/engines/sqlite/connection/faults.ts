import { Failure } from '../../../../failure.ts';
import { readOnlyMessage } from '../../../read-only.ts';
import { StaleSchema } from '../../../schema.ts';
import { SqliteFault } from './driver.ts';

/** The next start may or may not find the transaction committed. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('the disk failed during a commit', { cause });
  }
}

const constraintUnique = 2067;
/** The file was moved or deleted while it was open. */
const readOnlyMoved = 1032;
const primary = (code: number) => code & 0xff;
const [busy, readOnly, ioError, corrupt, full, cantOpen, notDatabase] = [5, 8, 10, 11, 13, 14, 26];

/** Error codes of the operating system. */
const systemTrouble = new Set([
  'EIO',
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'EBUSY',
  'EACCES',
  'EPERM',
]);

/** A unique value is taken: `UNIQUE constraint failed: r1.f2, r1.f3`, or a folded key, `r1.u2`, `r1.ui0`. */
export function isTaken(error: unknown): boolean {
  return (
    error instanceof SqliteFault &&
    error.code === constraintUnique &&
    /\br\d+\.(?:f|ui?)\d/.test(error.message)
  );
}

/** Tables are dropped some time after their collection was changed or deleted. */
export function isTableGone(error: unknown): boolean {
  return error instanceof SqliteFault && /no such table: (main\.)?[rlspt]\d/.test(error.message);
}

/** The file is not a database, or no longer. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof SqliteFault && [corrupt, notDatabase].includes(primary(error.code));
}

/** There is no space left for the write. */
export function isFull(error: unknown): boolean {
  if (error instanceof SqliteFault) return primary(error.code) === full;
  return error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code));
}

/** Nothing can be written until somebody changes a file, its owner or its file system. */
function isReadOnly(error: unknown): boolean {
  return error instanceof SqliteFault && primary(error.code) === readOnly && error.code !== readOnlyMoved;
}

/** Trouble with the disk or the file, which may be temporary. */
export function isTrouble(error: unknown): boolean {
  if (error instanceof Error && 'code' in error && systemTrouble.has(String(error.code))) return true;
  return (
    error instanceof SqliteFault && [busy, readOnly, ioError, full, cantOpen].includes(primary(error.code))
  );
}

export function translate(error: unknown): unknown {
  if (isTableGone(error)) return new StaleSchema();
  if (error instanceof CommitUnknown) {
    return new Failure(
      'unavailable',
      'It is not known whether this was saved, as the disk failed: check before you send it again',
      { trouble: messageOf(error.cause) },
    );
  }
  if (isReadOnly(error)) {
    return new Failure('unavailable', readOnlyMessage, {
      retryAfter: 5,
      trouble: `${messageOf(error)}: the data directory and its files must be writable for the user that runs the server, and their file system too`,
    });
  }
  if (isTrouble(error)) {
    return new Failure('unavailable', "The database can't be written or read right now: try again", {
      retryAfter: 5,
      trouble: messageOf(error),
    });
  }
  return error;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
