import { Lru } from '../../../cache.ts';
import type { StoredCollection } from '../../../schema.ts';

interface Total {
  /** Version of the collection, which changes with every write to it. */
  readonly version: number;
  readonly total: number;
}

/** Milliseconds for which gaps are assumed to exist. */
const gapsAssumedFor = 10_000;

/**
 * Caches totals of filtered lists. The query carries the cached total with its version, and PostgreSQL counts again only if the
 * collection has changed.
 */
export class Totals {
  /** One or two hundred bytes each; a filter used less often than a thousand others may be counted again. */
  readonly #known = new Lru<string, Total>({ most: 1_000 });

  /**
   * Until when collections are assumed to have gaps, by key: their sequence numbers are not contiguous, as records were deleted
   * or are being written alongside later ones.
   */
  readonly #gaps = new Lru<number, number>({ most: 1_000 });

  hasGaps({ key }: StoredCollection): boolean {
    return (this.#gaps.get(key) ?? 0) > Date.now();
  }

  noteGaps({ key }: StoredCollection): void {
    this.#gaps.set(key, Date.now() + gapsAssumedFor);
  }

  find(question: string): Total | undefined {
    return this.#known.get(question);
  }

  remember(question: string, version: number, total: number): void {
    if (this.#known.get(question)?.version !== version) this.#known.set(question, { version, total });
  }
}
