import { type Caller, isReader, mayBind } from '../access/caller.ts';
import { findMethodScope } from '../access/scope.ts';
import { type Collection, type Method, methodEnabled, methods } from '../model/collection.ts';
import type { Field } from '../model/field.ts';
import { maySeeBinding } from '../query/query.ts';
import { seesRecords } from '../records/distinct.ts';
import { operations } from '../records/operations.ts';
import type { Schema } from '../store/schema.ts';

/** What of a project a caller can use. All that is described is described from this, so nothing else can be in it. */
export interface Audience {
  /** By id, in the order of their ids. */
  readonly collections: ReadonlyMap<string, Usable>;
  /** May hand records to somebody. */
  readonly binds: boolean;
}

/** A collection of which the caller can use something. */
export interface Usable {
  readonly definition: Collection;
  readonly methods: ReadonlySet<Method>;
  /** May the caller ask for `_owner` and `_workspace`? */
  readonly seesBinding: boolean;
  /** May distinct be narrowed down by them? */
  readonly distinctSeesBinding: boolean;
  /** The fields that distinct may be asked for. */
  readonly distinctFields: readonly string[];
  /** May distinct be narrowed down by every filter and by `search`, not by the fields it is limited to alone? */
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

/** Callers with the same key can use the same. */
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

/** A name may be there before what it names: what has no address can't be used. */
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

/** `batch` is no more than its operations. */
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

/** The fields that the caller can see, send or ask for: who may only delete, or ask for some values, is told of no others. */
export function usableFields({ definition, methods, distinctFields }: Usable): Field[] {
  const fields = [...definition.fields.values()];
  if (withRecords.some((method) => methods.has(method))) return fields;
  return methods.has('distinct') ? fields.filter(({ name }) => distinctFields.includes(name)) : [];
}

/** Paths for `include`, and the collection each leads to: `brand`, `brand.country`. The nearest come first. */
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
