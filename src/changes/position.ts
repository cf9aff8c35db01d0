import { createHash } from 'node:crypto';
import type { Caller } from '../access/caller.ts';
import type { CursorCipher } from '../access/cursor-cipher.ts';
import { Failure } from '../failure.ts';
import type { LogPosition } from '../store/changes.ts';

/**
 * A position as callers see it: the encrypted place in the log, and a tag that says whose it is. The first part is the same for
 * everybody, so it is computed once for all who get the change.
 */
export const closePosition = (cipher: CursorCipher, { pos, mark }: LogPosition): string =>
  cipher.close(`log ${pos} ${mark}`);

/** Callers who see the same records, whatever the schema, have the same tag. */
export function tagOf(caller: Caller): string {
  return createHash('sha256').update(whose(caller)).digest('base64url').slice(0, 10);
}

function whose(caller: Caller): string {
  switch (caller.kind) {
    case 'nobody':
      return 'nobody';
    case 'user':
      return `user ${caller.user} ${caller.workspace ?? ''}`;
    case 'key':
    case 'administrator':
      return 'everything';
  }
}

const opened = /^log (\d+) (\d+)$/;

/** `at`: where it stood in the request. */
export function readPosition(cipher: CursorCipher, caller: Caller, text: string, at: string): LogPosition {
  const end = text.lastIndexOf('.');
  const [, pos, mark] = opened.exec(cipher.open(text.slice(0, Math.max(end, 0))) ?? '') ?? [];
  if (pos === undefined || mark === undefined)
    throw refused(at, "is not a position of this project: use one that it gave as 'next'");
  if (text.slice(end + 1) !== tagOf(caller))
    throw refused(at, 'is a position of another user or workspace: begin with after=now');
  return { pos: Number(pos), mark: Number(mark) };
}

const refused = (at: string, message: string) => new Failure('invalid', [{ at, message }]);
