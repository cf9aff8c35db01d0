import type { Caller } from '../access/caller.ts';
import { methodOff, methodOpen, type Scope, scopeOf } from '../access/scope.ts';
import { Failure } from '../failure.ts';
import type { StoredCollection } from '../store/schema.ts';

export type PartMethod = 'create' | 'update' | 'delete';
const methods: readonly PartMethod[] = ['create', 'update', 'delete'];

/** Each part of a batch is subject to its own method's switch and level. */
export function requireScope(caller: Caller, collection: StoredCollection, method: PartMethod): Scope {
  requireOpen(caller, collection, method);
  return scopeOf(caller, collection.definition, method);
}

export function requireOpen(
  caller: Caller,
  { definition }: StoredCollection,
  method: PartMethod | 'batch',
): void {
  if (!methodOpen(caller, definition, method)) throw methodOff(definition, method);
}

/** Called before the body is read: refuses a caller who could do nothing in any of these collections. */
export function requireAnyScope(caller: Caller, collections: readonly StoredCollection[]): void {
  const refusals: Failure[] = [];
  for (const collection of collections) {
    for (const method of methods) {
      try {
        requireOpen(caller, collection, 'batch');
        requireScope(caller, collection, method);
        return;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        refusals.push(error);
      }
    }
  }
  const refusal = refusals.find(({ kind }) => kind !== 'absent') ?? refusals[0];
  if (refusal) throw refusal;
}
