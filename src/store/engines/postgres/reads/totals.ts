import { Lru } from '../../../cache.ts';
import type { StoredCollection } from '../../../schema.ts';

interface Total {
  /** Of the collection, another one after everything that is written to it. */
  readonly version: number;
  readonly total: number;
}

/** Milliseconds. */
const believed = 10_000;

/** Totals of filtered lists. The query carries what is remembered, and PostgreSQL counts again where the collection has changed since. */
export class Totals {
  /** Of a hundred bytes or two each; a filter that is asked for less often than a thousand others may be counted again. */
  readonly #known = new Lru<string, Total>({ most: 1_000 });

  /**
   * Until when collections are believed to have gaps, by key: the numbers of their records do not follow one another, as some were
   * deleted, or are being written beside others that came later.
   */
  readonly #gaps = new Lru<number, number>({ most: 1_000 });

  hasGaps({ key }: StoredCollection): boolean {
    return (this.#gaps.get(key) ?? 0) > Date.now();
  }

  noteGaps({ key }: StoredCollection): void {
    this.#gaps.set(key, Date.now() + believed);
  }

  find(question: string): Total | undefined {
    return this.#known.get(question);
  }

  remember(question: string, version: number, total: number): void {
    if (this.#known.get(question)?.version !== version) this.#known.set(question, { version, total });
  }
}
