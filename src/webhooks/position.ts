import type { CursorCipher } from '../access/cursor-cipher.ts';
import { Failure } from '../failure.ts';
import type { LogPosition } from '../store/changes.ts';

const name = 'changes';

/** As it goes out: nobody outside can read it or make one up. */
export function writePosition(cipher: CursorCipher, { pos, mark }: LogPosition): string {
  return cipher.close(JSON.stringify([name, pos, mark]));
}

export function readPosition(cipher: CursorCipher, text: string): LogPosition {
  const opened = cipher.open(text);
  const [what, pos = 0, mark = 0] =
    opened === undefined ? [] : (JSON.parse(opened) as [string, number, number]);
  if (what === name) return { pos, mark };
  const message = "must be the 'position' of a change as it came, or '' for the oldest that is kept";
  throw new Failure('invalid', [{ at: 'after', message }]);
}
