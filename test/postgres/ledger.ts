import assert from 'node:assert/strict';
import type { Row } from '../support.ts';

/** What is known of a mark, which was sent in one request and no other. */
type Fate = 'there' | 'gone' | 'unknown';

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

  created(marks: readonly string[], told: boolean): void {
    for (const mark of marks) this.#fates.set(mark, told ? 'there' : 'unknown');
  }

  changed(before: string, after: string, told: boolean): void {
    this.#fates.set(before, told ? 'gone' : 'unknown');
    this.#fates.set(after, told ? 'there' : 'unknown');
    if (!told) this.#either.push([before, after]);
  }

  deleted(mark: string, told: boolean): void {
    this.#fates.set(mark, told ? 'gone' : 'unknown');
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
