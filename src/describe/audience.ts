import { type Caller, isReader, mayBind } from '../access/caller.ts';
import { findMethodScope } from '../access/scope.ts';
import { type Collection, type Method, methodEnabled, methods } from '../model/collection.ts';
import type { Field } from '../model/field.ts';
import { maySeeBinding } from '../query/query.ts';
import { seesRecords } from '../records/distinct.ts';
import { operations } from '../records/operations.ts';
import type { Schema } from '../store/schema.ts';

/** The part of a project that a caller can use. Descriptions are made from this alone, so they can't reveal anything else. */
export interface Audience {
  /** By id, in the order of their ids. */
  readonly collections: ReadonlyMap<string, Usable>;
  /** Whether the caller may assign records to an owner or a workspace. */
  readonly binds: boolean;
}

/** A collection of which the caller can use at least one method. */
export interface Usable {
  readonly definition: Collection;
  readonly methods: ReadonlySet<Method>;
  /** Whether the caller can request `_owner` and `_workspace`. */
  readonly seesBinding: boolean;
  /** Whether distinct can be filtered by them. */
  readonly distinctSeesBinding: boolean;
  /** The fields that distinct allows. */
  readonly distinctFields: readonly string[];
  /** Whether distinct allows every filter and `search`, and not only filters on the fields it is limited to. */
  readonly distinctByAll: boolean;
}

export function audienceOf(caller: Caller, schema: Schema): Audience {
  const all = [...schema.collections.values()].map(({ definition }) => usableOf(caller, definition));
  const some = all.filter((usable) => usable.methods.size > 0);
  some.sort((a, b) => (a.definition.id < b.definition.id ? -1 : 1));
  return {
    collections: new Map(some.map((usable) => [usable.definition.id, usable])),
    binds: mayBind(caller) && !isReader(caller),
  };
}

/** Callers with the same key can use the same parts. */
export function audienceKey(caller: Caller): string {
  switch (caller.kind) {
    case 'nobody':
    case 'administrator':
      return caller.kind;
    case 'key':
      return `key ${caller.access}`;
    case 'user':
      return caller.workspace === null ? 'user' : 'member';
  }
}

/** The methods that have a path; a method may be defined before it is implemented. */
const addressed: ReadonlySet<Method> = new Set([
  ...operations.map(({ method }) => method),
  'batch',
  'changes',
]);
const served = methods.filter((method) => addressed.has(method));

function usableOf(caller: Caller, definition: Collection): Usable {
  const limited = definition.api.methods.distinct?.fields;
  const distinctFields = limited ?? [...definition.fields.keys()];
  const usable = served.filter((method) => mayUse(caller, definition, method));
  if (distinctFields.length === 0) drop(usable, 'distinct');
  const scope = findMethodScope(caller, definition, 'distinct');
  return {
    definition,
    methods: new Set(usable),
    seesBinding: maySeeBinding(caller, definition, 'viewAll'),
    distinctSeesBinding: maySeeBinding(caller, definition, 'distinct'),
    distinctFields,
    distinctByAll: !limited || (scope !== undefined && seesRecords(caller, definition, scope)),
  };
}

/** `batch` allows what its operations allow. */
function mayUse(caller: Caller, definition: Collection, method: Method): boolean {
  if (!methodEnabled(definition, method)) return false;
  if (method === 'batch')
    return (['create', 'update', 'delete'] as const).some((one) => mayUse(caller, definition, one));
  return findMethodScope(caller, definition, method) !== undefined;
}

function drop(list: Method[], method: Method): void {
  const at = list.indexOf(method);
  if (at >= 0) list.splice(at, 1);
}

const withRecords: readonly Method[] = ['viewAll', 'view', 'create', 'update', 'export', 'changes'];

/** The fields that the caller can see or send: callers who may only delete, or only use distinct, learn of no others. */
export function usableFields({ definition, methods, distinctFields }: Usable): Field[] {
  const fields = [...definition.fields.values()];
  if (withRecords.some((method) => methods.has(method))) return fields;
  return methods.has('distinct') ? fields.filter(({ name }) => distinctFields.includes(name)) : [];
}

/** Paths for `include` with their target collections: `brand`, `brand.country`. The shortest come first. */
export function includePaths({ collections }: Audience, from: Usable, most: number): Map<string, Usable> {
  const found = new Map<string, Usable>();
  let level: [string, Usable][] = [['', from]];
  for (let depth = 0; depth < 3 && found.size < most; depth++) {
    const next = level.flatMap(([path, { definition }]) =>
      [...definition.fields.values()].flatMap((field): [string, Usable][] => {
        const to = viewable(collections, field);
        return to ? [[path === '' ? field.name : `${path}.${field.name}`, to]] : [];
      }),
    );
    level = next.slice(0, most - found.size);
    for (const [path, to] of level) found.set(path, to);
  }
  return found;
}

function viewable(collections: Audience['collections'], field: Field): Usable | undefined {
  const to = field.type === 'relation' ? collections.get(field.to) : undefined;
  return to?.methods.has('view') ? to : undefined;
}
