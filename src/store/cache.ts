import type { StoredCollection } from './schema.ts';

/** Characters of a key. Longer questions are hardly ever asked again, and keys take memory too. */
const longestKey = 2_000;

export interface CacheBound<V> {
  /** The most it may hold: entries or, with `weigh`, their weight and the characters of their keys. */
  readonly most: number;
  /** Another limit, for keys that callers can't make up. */
  readonly longestKey?: number;
  weigh?(value: V): number;
  /** Called with each value that is removed, for what has to be released by hand. */
  evicted?(value: V): void;
}

interface Entry<V> {
  readonly value: V;
  readonly weight: number;
}

/** Evicts the least recently used entries first. Whoever makes one says why `most` is enough, and what ends an entry. */
export class Lru<K, V> {
  readonly #bound: CacheBound<V>;
  /** In the order of their last use. */
  readonly #entries = new Map<K, Entry<V>>();
  #weight = 0;

  constructor(bound: CacheBound<V>) {
    this.#bound = bound;
  }

  /** The weight of all entries. */
  get weight(): number {
    return this.#weight;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    // The order does not matter while there is plenty of room.
    if (this.#weight > this.#bound.most / 2) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return entry.value;
  }

  /** Does not keep a value that is too large by itself, or has too long a key. */
  set(key: K, value: V): void {
    this.delete(key);
    const { most, weigh } = this.#bound;
    const length = typeof key === 'string' ? key.length : 0;
    const weight = weigh ? weigh(value) + length : 1;
    if (weight > most || length > (this.#bound.longestKey ?? longestKey)) return;
    this.#weight += weight;
    this.#entries.set(key, { value, weight });
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= most) break;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
    this.#bound.evicted?.(entry.value);
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key);
  }
}

/** The value of a key, made if there is none. */
export function remember<K, V>(cache: Lru<K, V>, key: K, make: () => V): V {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  cache.set(key, made);
  return made;
}

/** Answers that are valid until the next write to their collection: each belongs to one version of it. */
export class VersionedAnswers<T> {
  readonly #answers: Lru<string, { readonly version: number; readonly answer: T }>;

  constructor(bound: CacheBound<T>) {
    const { most, weigh } = bound;
    this.#answers = new Lru({ most, ...(weigh && { weigh: ({ answer }) => weigh(answer) }) });
  }

  /** The newest answer, of whatever version. */
  last(question: string): { readonly version: number; readonly answer: T } | undefined {
    return this.#answers.get(question);
  }

  /** undefined: there is no answer of this version. */
  find(version: number, question: string): { readonly answer: T } | undefined {
    const known = this.#answers.get(question);
    return known?.version === version ? known : undefined;
  }

  keep(version: number, question: string, answer: T): void {
    this.#answers.set(question, { version, answer });
  }

  /** `version` is that of the collection that `question` names, in the transaction that `find` would read in. */
  get(version: number, question: string, find: () => T): T {
    const known = this.find(version, question);
    if (known) return known.answer;
    const answer = find();
    this.keep(version, question, answer);
    return answer;
  }
}

/** What is compiled once for each version of a collection, and ends with it. `rest` must be the same each time. */
export function perCollection<T, Rest extends unknown[]>(
  compile: (collection: StoredCollection, ...rest: Rest) => T,
): (collection: StoredCollection, ...rest: Rest) => T {
  const compiled = new WeakMap<StoredCollection, { readonly made: T }>();
  return (collection, ...rest) => {
    const known = compiled.get(collection);
    if (known) return known.made;
    const made = compile(collection, ...rest);
    compiled.set(collection, { made });
    return made;
  };
}
