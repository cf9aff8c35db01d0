import { Lru } from './cache.ts';
import type { ListAnswer } from './plans.ts';
import { lengthOf } from './record-texts.ts';

interface Page<Basis> {
  readonly versions: string;
  readonly answer: ListAnswer;
  readonly size: number;
  readonly basis: Basis | undefined;
}

/** Characters of all pages together, with their keys. The answers that are encoded from them take as much again. */
const mostCharacters = 8_000_000;
const largestPage = 100_000;
/**
 * When the cache is full, only every 32nd page replaces the oldest. If each did, a few pages too many that are asked for in
 * turn would each be gone when their turn comes.
 */
const admitEvery = 32;

/**
 * Pages that were asked for more than once. A write to one of their collections invalidates them, as it changes the
 * collection's version. Reading a page of 25 records takes SQLite 9 µs where they lie together and 30 µs where they do not;
 * reading the versions takes 2 µs. On PostgreSQL the versions are a small answer in place of a large one. `Basis`: by what an
 * engine can tell that a page is the same under later versions.
 */
export class PageCache<Basis = undefined> {
  readonly #pages = new Lru<string, Page<Basis>>({ most: mostCharacters, weigh: ({ size }) => size });
  #turnedAway = 0;

  /** `versions`: the current versions of the plan's collections. */
  find(key: string, versions: string): ListAnswer | undefined {
    const page = this.#pages.get(key);
    return page?.versions === versions ? page.answer : undefined;
  }

  /** The page of a plan under whatever versions. */
  last(key: string): Page<Basis> | undefined {
    return this.#pages.get(key);
  }

  /** Returns the answer, with a key of its own if it is cached from now on. */
  keep(key: string, versions: string, answer: ListAnswer, basis?: Basis): ListAnswer {
    const size = sizeOf(answer);
    this.#pages.delete(key);
    if (size > largestPage || !this.#admits(size + key.length)) return answer;
    const named = { ...answer, key: `${key} ${versions}` };
    this.#pages.set(key, { versions, answer: named, size, basis });
    return named;
  }

  /** Goes on with a page under later versions. `answer`: the same as before, or another one of the same size. */
  renew(key: string, page: Page<Basis>, versions: string, basis: Basis, answer: ListAnswer): ListAnswer {
    const named = answer === page.answer ? answer : { ...answer, key: `${key} ${versions}` };
    this.#pages.set(key, { versions, answer: named, size: page.size, basis });
    return named;
  }

  #admits(size: number): boolean {
    if (this.#pages.weight + size <= mostCharacters) return true;
    this.#turnedAway = (this.#turnedAway + 1) % admitEvery;
    return this.#turnedAway === 0;
  }
}

/** With an allowance for the plan itself. */
function sizeOf({ found, include }: ListAnswer): number {
  let size = 500 + lengthOf(found);
  for (const texts of include.values()) size += texts.length;
  return size;
}
