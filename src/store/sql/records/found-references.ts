import { type Scope, scopeName } from '../../../access/scope.ts';

/** Number of names cached: far more than a group of writes refers to. */
const most = 10_000;

/**
 * References that a transaction has found to exist. Many new records refer to the same few others, which do not change as long
 * as the transaction only creates: when it changes or removes a record, or rolls back a step, all are forgotten.
 */
export class FoundReferences {
  readonly #names = new Set<string>();

  has(collection: number, scope: Scope, id: string): boolean {
    return this.#names.has(nameOf(collection, scope, id));
  }

  add(collection: number, scope: Scope, id: string): void {
    if (this.#names.size >= most) this.#names.clear();
    this.#names.add(nameOf(collection, scope, id));
  }

  forget(): void {
    this.#names.clear();
  }
}

function nameOf(collection: number, scope: Scope, id: string): string {
  return `${collection} ${scopeName(scope)} ${id}`;
}
