import type { Collection } from '../model/collection.ts';
import type { Field, RelationField } from '../model/field.ts';
import { compilePayload, type PayloadReader } from '../model/payload.ts';
import type { CollectionRef } from './plans.ts';

/** The schema has changed since the plan was made: make a new plan. */
export class StaleSchema extends Error {}

/** A change of a profile was checked against other definitions than those by which the stored profile was written. */
export class StaleProfile extends Error {}

/** The project was deleted, by whatever process. Another one may have its id by now. */
export class ProjectGone extends Error {}

/** A collection as the store keeps it, with everything that depends only on its schema worked out once. */
export interface StoredCollection {
  /** Names the collection's tables. Never reused, so that a later collection of the same name inherits nothing. */
  readonly key: number;
  /** How plans refer to it: a plan that was made under another version is refused, whether it reads or writes. */
  readonly ref: CollectionRef;
  readonly definition: Collection;
  /** Name the columns of the fields; never reused either. */
  readonly fieldKeys: ReadonlyMap<string, number>;
  readonly payload: PayloadReader;
  readonly relations: readonly StoredRelation[];
  /** The relations, of any collection, that point here. */
  readonly referrers: readonly StoredRelation[];
}

export interface StoredRelation {
  readonly from: StoredCollection;
  readonly field: RelationField;
  readonly to: StoredCollection;
}

/** All collections of a project at one moment. Replaced as a whole when any of them changes. */
export interface Schema {
  readonly version: number;
  readonly collections: ReadonlyMap<string, StoredCollection>;
  readonly byKey: ReadonlyMap<number, StoredCollection>;
}

export interface CollectionRow {
  readonly key: number;
  readonly definition: Collection;
  readonly fieldKeys: ReadonlyMap<string, number>;
}

/** A negative version marks a deleted project. */
export function buildSchema(version: number, rows: readonly CollectionRow[]): Schema {
  if (version < 0) throw new ProjectGone();
  const collections = new Map(
    rows.map((row) => {
      const relations: StoredRelation[] = [];
      const referrers: StoredRelation[] = [];
      const payload = compilePayload(row.definition);
      const ref = { key: row.key, version };
      return [row.definition.id, { ...row, ref, payload, relations, referrers }];
    }),
  );
  for (const from of collections.values()) {
    for (const field of from.definition.fields.values()) {
      const to = field.type === 'relation' ? collections.get(field.to) : undefined;
      if (field.type !== 'relation' || !to) continue;
      from.relations.push({ from, field, to });
      to.referrers.push({ from, field, to });
    }
  }
  const byKey = new Map([...collections.values()].map((collection) => [collection.key, collection]));
  return { version, collections, byKey };
}

export function fieldOf({ definition }: StoredCollection, name: string): Field {
  const field = definition.fields.get(name);
  if (!field) throw new Error(`no field ${name}`);
  return field;
}

export function relationOf({ relations }: StoredCollection, field: string): StoredRelation {
  const relation = relations.find((one) => one.field.name === field);
  if (!relation) throw new StaleSchema();
  return relation;
}
