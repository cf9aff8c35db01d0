import { type Scope, scopeName } from '../../../access/scope.ts';

/** Number of ids kept: far more than a group of writes refers to. */
const most = 10_000;

/**
 * References that a transaction has found to exist. Many new records refer to the same few others, which do not change as long
 * as the transaction only creates: when it changes or removes a record, or rolls back a step, all are forgotten.
 */
export class FoundReferences {
  /** Ids by collection and scope. */
  readonly #found = new Map<string, Set<string>>();
  #size = 0;

  has(collection: number, scope: Scope, id: string): boolean {
    return this.#found.get(nameOf(collection, scope))?.has(id) ?? false;
  }

  add(collection: number, scope: Scope, id: string): void {
    if (this.#size >= most) this.forget();
    const name = nameOf(collection, scope);
    const ids = this.#found.get(name) ?? new Set();
    this.#found.set(name, ids.add(id));
    this.#size += 1;
  }

  forget(): void {
    this.#found.clear();
    this.#size = 0;
  }
}

const nameOf = (collection: number, scope: Scope) => `${collection} ${scopeName(scope)}`;
