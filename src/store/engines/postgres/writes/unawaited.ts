import type { Awaitable } from '../../../../awaitable.ts';

/** A statement whose answer nobody needs: should it fail, so does all that comes after it in its transaction. */
export function unawaited(work: Awaitable<unknown>): void {
  Promise.resolve(work).catch(() => {});
}
