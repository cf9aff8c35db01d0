import { Lru } from './cache.ts';
import type { ListAnswer } from './plans.ts';

interface Page {
  readonly versions: string;
  readonly answer: ListAnswer;
  readonly size: number;
}

/** Characters of all pages together, with their keys. What is made of them on their way out takes as much again. */
const mostCharacters = 8_000_000;
const largestPage = 100_000;
/**
 * Where there is no room, every 32nd page takes the place of the oldest. If each did, pages that are asked for in
 * turn, and are a little too many, would each be gone when their turn comes.
 */
const admitted = 32;

/**
 * Pages that were asked for more than once; a write to one of their collections ends them, as that has another version
 * then. A page of 25 records takes SQLite 9 µs where they lie together and 30 where they do not, and its versions 2. On
 * PostgreSQL the versions are a small answer in place of a large one.
 */
export class PageCache {
  readonly #pages = new Lru<string, Page>({ most: mostCharacters, weigh: ({ size }) => size });
  #turnedAway = 0;

  /** `versions`: of the plan's collections, as they are now. */
  find(key: string, versions: string): ListAnswer | undefined {
    const page = this.#pages.get(key);
    return page?.versions === versions ? page.answer : undefined;
  }

  /** The answer, by a name of its own where it is kept from now on. */
  keep(key: string, versions: string, answer: ListAnswer): ListAnswer {
    const size = sizeOf(answer);
    this.#pages.delete(key);
    if (size > largestPage || !this.#admits(size + key.length)) return answer;
    const named = { ...answer, key: `${key} ${versions}` };
    this.#pages.set(key, { versions, answer: named, size });
    return named;
  }

  #admits(size: number): boolean {
    if (this.#pages.weight + size <= mostCharacters) return true;
    this.#turnedAway = (this.#turnedAway + 1) % admitted;
    return this.#turnedAway === 0;
  }
}

/** With something for the plan itself. */
function sizeOf({ found, include }: ListAnswer): number {
  let size = 500 + found.length;
  for (const texts of include.values()) size += texts.length;
  return size;
}
