import type { ListAnswer, ListPlan } from '../../../plans.ts';

interface Page {
  readonly versions: string;
  readonly answer: ListAnswer;
  readonly size: number;
}

/** Characters of all pages together. What is made of them on their way out takes as much again. */
const mostCharacters = 8_000_000;
const largestPage = 100_000;
/**
 * Where there is no room, every so manieth page takes the place of the oldest. If each did, pages that are asked for in
 * turn, and are a little too many, would each be gone when their turn comes.
 */
const admitted = 32;

/**
 * Pages that were asked for more than once, for as long as nothing is written to their collections: reading them again would find the
 * same. A page of 25 records takes SQLite 9 µs where they lie together and 30 where they do not, and its versions 2.
 */
export class PageCache {
  /** Those used last come last. */
  readonly #pages = new Map<ListPlan, Page>();
  /** Most of what is asked for is not asked for again: it would only take the place of what is. */
  readonly #asked = new WeakSet<ListPlan>();
  #characters = 0;
  #turnedAway = 0;

  /** `versions`: of the plan's collections, as they are now. */
  find(plan: ListPlan, versions: string): ListAnswer | undefined {
    const page = this.#pages.get(plan);
    if (page?.versions !== versions) return undefined;
    if (this.#characters > mostCharacters / 2) {
      this.#pages.delete(plan);
      this.#pages.set(plan, page);
    }
    return page.answer;
  }

  keep(plan: ListPlan, versions: string, answer: ListAnswer): void {
    const size = sizeOf(answer);
    this.#forget(plan);
    if (size > largestPage || !this.#admits(plan, size)) return;
    this.#pages.set(plan, { versions, answer, size });
    this.#characters += size;
    for (const oldest of this.#pages.keys()) {
      if (this.#characters <= mostCharacters) break;
      this.#forget(oldest);
    }
  }

  #admits(plan: ListPlan, size: number): boolean {
    if (!this.#asked.has(plan)) {
      this.#asked.add(plan);
      return false;
    }
    if (this.#characters + size <= mostCharacters) return true;
    this.#turnedAway = (this.#turnedAway + 1) % admitted;
    return this.#turnedAway === 0;
  }

  #forget(plan: ListPlan): void {
    const page = this.#pages.get(plan);
    if (!page) return;
    this.#pages.delete(plan);
    this.#characters -= page.size;
  }
}

/** With something for the plan itself. */
function sizeOf({ found, include }: ListAnswer): number {
  let size = 500 + found.length;
  for (const texts of include.values()) size += texts.length;
  return size;
}
