import assert from 'node:assert/strict';
import type { Row } from '../support.ts';

/** What is known of a mark, which was sent in one request and no other. */
type Fate = 'there' | 'gone' | 'unknown';

/** What an answer says of a write; one that was refused is not done, and may be sent again. */
export type Outcome = 'done' | 'refused' | 'unknown';

/** What becomes of a mark that a write would bring, and of one that it would take away. */
const brought: Readonly<Record<Outcome, Fate>> = { done: 'there', refused: 'gone', unknown: 'unknown' };
const taken: Readonly<Record<Outcome, Fate>> = { done: 'gone', refused: 'there', unknown: 'unknown' };

/** A batch whose answer told nothing, which its key makes safe to send again. */
export interface Unsure {
  readonly key: string;
  readonly marks: readonly string[];
  readonly token: string;
}

export const bodyOf = (mark: string) => ({ mark, tags: [`t${mark}`, 'all'] });

/** What was written, as far as it was told. */
export class Ledger {
  readonly #fates = new Map<string, Fate>();
  /** Of a change in doubt one is there: the mark before it, or the one after. */
  readonly #either: (readonly [string, string])[] = [];
  readonly #unsure: Unsure[] = [];
  #count = 0;

  nextMark(): string {
    this.#count += 1;
    return `m${this.#count}`;
  }

  created(marks: readonly string[], outcome: Outcome): void {
    for (const mark of marks) this.#fates.set(mark, brought[outcome]);
  }

  changed(before: string, after: string, outcome: Outcome): void {
    this.#fates.set(before, taken[outcome]);
    this.#fates.set(after, brought[outcome]);
    if (outcome === 'unknown') this.#either.push([before, after]);
  }

  deleted(mark: string, outcome: Outcome): void {
    this.#fates.set(mark, taken[outcome]);
  }

  toSendAgain(batch: Unsure): void {
    this.#unsure.push(batch);
  }

  takeUnsure(): Unsure[] {
    return this.#unsure.splice(0);
  }

  /** Nothing acknowledged is lost, nothing is there twice, nothing is half done. Says how many were in doubt. */
  check(found: readonly Row[]): number {
    const counts = new Map<string, number>();
    for (const { mark, tags } of found) {
      counts.set(String(mark), (counts.get(String(mark)) ?? 0) + 1);
      assert.deepEqual(tags, bodyOf(String(mark)).tags);
    }
    for (const [mark, count] of counts) {
      assert.equal(count, 1, `${mark} is there ${count} times`);
      assert.notEqual(this.#fates.get(mark) ?? 'gone', 'gone', `${mark} should not be there`);
    }
    for (const [before, after] of this.#either.splice(0)) {
      assert.notEqual(counts.has(before), counts.has(after), `either ${before} or ${after}`);
    }
    let doubted = 0;
    for (const [mark, fate] of this.#fates) {
      if (fate === 'there') assert.ok(counts.has(mark), `${mark} is lost`);
      if (fate !== 'unknown') continue;
      doubted += 1;
      this.#fates.set(mark, counts.has(mark) ? 'there' : 'gone');
    }
    return doubted;
  }
}
