import type { StoredCollection } from '../../../schema.ts';

const most = 1_000;

interface Total {
  /** Of the collection, raised by everything that is written to it. */
  readonly version: number;
  readonly total: number;
}

/** How many records filtered lists had. PostgreSQL is told, and counts anew where the collection has changed since. */
export class Totals {
  readonly #known = new Map<string, Total>();

  /** Of these collections some records are deleted: the numbers of the others do not follow one another. */
  readonly #gaps = new WeakSet<StoredCollection>();

  hasGaps(collection: StoredCollection): boolean {
    return this.#gaps.has(collection);
  }

  noteGaps(collection: StoredCollection): void {
    this.#gaps.add(collection);
  }

  find(question: string): Total | undefined {
    return this.#known.get(question);
  }

  remember(question: string, version: number, total: number): void {
    const known = this.#known.get(question);
    if (known?.version === version) return;
    this.#known.delete(question);
    if (this.#known.size >= most) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.set(question, { version, total });
  }
}
