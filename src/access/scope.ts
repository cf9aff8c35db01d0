import { Failure } from '../failure.ts';
import { type Collection, type Level, type Method, methodEnabled, methodLevel } from '../model/collection.ts';
import { type Caller, isReader } from './caller.ts';

/** Which records of a collection a caller may see and change. Every read and write carries one. */
export type Scope =
  | { readonly kind: 'all' }
  | { readonly kind: 'owner'; readonly owner: string }
  | { readonly kind: 'workspace'; readonly workspace: string };

/** Scopes have the same name if and only if they cover the same records. */
export function scopeName(scope: Scope): string {
  switch (scope.kind) {
    case 'all':
      return 'all';
    case 'owner':
      return `owner ${scope.owner}`;
    case 'workspace':
      return `workspace ${scope.workspace}`;
  }
}

const all: Scope = { kind: 'all' };

const reading: ReadonlySet<Method> = new Set(['viewAll', 'view', 'distinct', 'export', 'changes']);

export const readOnly = "This key may only read: use one with access 'write'";

/** A disabled method is open to administrators only. */
export function methodOpen(caller: Caller, collection: Collection, method: Method): boolean {
  return methodEnabled(collection, method) || caller.kind === 'administrator';
}

export function methodOff({ id }: Collection, method: Method): Failure {
  return new Failure('absent', `The method ${method} is switched off for ${id}`);
}

/** The caller's scope for a method. Throws a Failure that says why there is none. */
export function scopeOf(caller: Caller, collection: Collection, method: Method): Scope {
  const level = methodLevel(collection, method);
  const scope = findMethodScope(caller, collection, method);
  if (scope) return scope;
  if (caller.kind === 'nobody') {
    throw new Failure(
      'unauthenticated',
      `This method is for signed-in callers (level ${level}): send the header Authorization: Bearer <token>`,
    );
  }
  if (isReader(caller)) throw new Failure('forbidden', readOnly);
  throw new Failure(
    'forbidden',
    'This method works on the records of a workspace and you have no current one: switch to one of yours with POST _auth/switch',
  );
}

function findScope(caller: Caller, level: Level): Scope | undefined {
  if (level === 'public') return all;
  switch (caller.kind) {
    case 'nobody':
      return undefined;
    case 'key':
    case 'administrator':
      return all;
    case 'user':
      if (level === 'user') return { kind: 'owner', owner: caller.user };
      return caller.workspace === null ? undefined : { kind: 'workspace', workspace: caller.workspace };
  }
}

/** The same, but undefined if there is none. Does not check whether the method is enabled. */
export function findMethodScope(caller: Caller, collection: Collection, method: Method): Scope | undefined {
  if (isReader(caller) && !reading.has(method)) return undefined;
  return findScope(caller, methodLevel(collection, method));
}

/** Which records of a related collection the caller may `view`; undefined for none at all. */
export function findViewScope(caller: Caller, collection: Collection): Scope | undefined {
  return methodOpen(caller, collection, 'view') ? findMethodScope(caller, collection, 'view') : undefined;
}
