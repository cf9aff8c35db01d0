import { Failure } from '../failure.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no space left for it',
  EDQUOT: 'there is no space left for it',
  EACCES: "the folder of the backups can't be written",
  EPERM: "the folder of the backups can't be written",
  EROFS: "the folder of the backups can't be written",
  ENOENT: 'a file of it is missing',
};

/** Why a backup failed, for the administrator: without paths, and for a bug only that it is in the log. */
export function reasonOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? 'something went wrong on our side, and the log of the server says what';
}

/** Turns a problem of the machine into a Failure; a bug stays as it is. */
export function asRefusal(what: string, error: unknown): unknown {
  if (error instanceof Failure) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!reasons[code]) return error;
  const failure = new Failure('unavailable', `${what} failed: ${reasonOf(error)}`, { retryAfter: 60 });
  failure.cause = error;
  return failure;
}
