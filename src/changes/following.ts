import type { Caller } from '../access/caller.ts';
import { findMethodScope, methodOff, methodOpen, scopeOf } from '../access/scope.ts';
import type { Project } from '../catalog/project.ts';
import { requireCollection } from '../catalog/require-collection.ts';
import type { Collection } from '../model/collection.ts';
import { maySeeBinding, Query, readFields } from '../query/query.ts';
import type { ChangesPlan, FollowedCollection } from '../store/changes.ts';
import type { StoredCollection } from '../store/schema.ts';

/** What a caller wants to follow, whatever the schema. */
export interface Wanted {
  readonly caller: Caller;
  /** undefined: all collections that the caller may use. */
  readonly names: readonly string[] | undefined;
  /** Of a single collection. */
  readonly fields?: readonly string[] | undefined;
}

/** The same under one version of the schema. */
export interface Following {
  readonly version: number;
  readonly collections: readonly FollowedCollection[];
  readonly names: readonly string[] | undefined;
  readonly fields: readonly string[] | undefined;
  /** The names of the collections, by key. */
  readonly shown: ReadonlyMap<number, string>;
  /** Callers with the same key get the same changes. */
  readonly key: string;
  /** Whether a `refetch` of a collection concerns the caller. */
  includes(name: string, level: string | undefined): boolean;
}

/** Refuses a collection as View All would, and checks the fields again: they may have been read under another schema. */
export function follow(project: Project, wanted: Wanted): Following {
  const { caller, names, fields } = wanted;
  const found = names
    ? names.map((name) => requireFollowed(project, caller, name))
    : [...project.schema.collections.values()].flatMap((one) => findFollowed(caller, one) ?? []);
  if (fields) for (const [{ definition }] of found) requireFields(fields, definition, caller);
  return following(project, wanted, found, fields);
}

/** For a named collection that is gone: all that is left to report. */
export function followNames(project: Project, wanted: Wanted): Following {
  return following(project, wanted, [], undefined);
}

type Found = readonly [StoredCollection, FollowedCollection['scope']];

function following(
  { schema: { version } }: Project,
  { caller, names }: Wanted,
  found: readonly Found[],
  fields: readonly string[] | undefined,
): Following {
  const extra = (['_owner', '_workspace'] as const).filter((name) => fields?.includes(name));
  const collections = found.map(([{ ref }, scope]) => ({ ref, scope, extra }));
  const shown = new Map(found.map(([{ key, definition }]) => [key, definition.id]));
  const allowed = levelsOf(caller);
  const known = new Set(shown.values());
  return {
    ...{ version, collections, names, fields, shown },
    key: JSON.stringify([
      version,
      collections.map(({ ref, scope }) => [ref.key, scope]),
      names,
      fields,
      allowed,
    ]),
    includes: (name, level) =>
      known.has(name) || allowed === 'everything' || allowed.includes(level ?? 'off'),
  };
}

/** The levels whose collections a caller can follow at all. */
function levelsOf(caller: Caller): readonly string[] | 'everything' {
  switch (caller.kind) {
    case 'nobody':
      return ['public'];
    case 'user':
      return caller.workspace === null ? ['public', 'user'] : ['public', 'user', 'workspace'];
    case 'key':
      return ['public', 'user', 'workspace'];
    case 'administrator':
      return 'everything';
  }
}

function requireFollowed(project: Project, caller: Caller, name: string): Found {
  const collection = requireCollection(project, name);
  const { definition } = collection;
  if (!methodOpen(caller, definition, 'changes')) throw methodOff(definition, 'changes');
  return [collection, scopeOf(caller, definition, 'changes')];
}

function requireFields(fields: readonly string[], definition: Collection, caller: Caller): void {
  const query = new Query([{ name: 'fields', operator: '=', value: fields.join() }]);
  readFields(query, definition, maySeeBinding(caller, definition, 'viewAll'));
  query.done();
}

function findFollowed(caller: Caller, collection: StoredCollection): readonly Found[] | undefined {
  const { definition } = collection;
  const scope = methodOpen(caller, definition, 'changes')
    ? findMethodScope(caller, definition, 'changes')
    : undefined;
  return scope && [[collection, scope]];
}

export function planOf(
  { version, collections, names }: Following,
  rest: Pick<ChangesPlan, 'after' | 'limit' | 'authorities' | 'now' | 'settled'>,
): ChangesPlan {
  return { version, collections, names, ...rest };
}
