import { Lru } from '../../../cache.ts';
import type { StoredCollection } from '../../../schema.ts';

interface Total {
  /** Of the collection, another one after everything that is written to it. */
  readonly version: number;
  readonly total: number;
}

/** Totals of filtered lists. The query carries what is remembered, and PostgreSQL counts again where the collection has changed since. */
export class Totals {
  /** Of a hundred bytes or two each; a filter that is asked for less often than a thousand others may be counted again. */
  readonly #known = new Lru<string, Total>({ most: 1_000 });

  /** Collections of which records were deleted: the numbers of the others do not follow one another. By key, which is never used again. */
  readonly #gaps = new Set<number>();

  hasGaps({ key }: StoredCollection): boolean {
    return this.#gaps.has(key);
  }

  noteGaps({ key }: StoredCollection): void {
    this.#gaps.add(key);
  }

  find(question: string): Total | undefined {
    return this.#known.get(question);
  }

  remember(question: string, version: number, total: number): void {
    if (this.#known.get(question)?.version !== version) this.#known.set(question, { version, total });
  }
}
