import type { Schema, StoredCollection, StoredRelation } from '../../schema.ts';
import type { Connection } from '../dialect.ts';
import { findMarked, type Mark } from './deletion-marks.ts';
import type { StoredRecord } from './placed-record.ts';
import type { Place } from './referring.ts';

/** The collection of some marks: those that are read together are of one. */
export function collectionOf({ byKey }: Schema, marks: readonly Mark[]): StoredCollection {
  const found = byKey.get(marks[0]?.collection ?? 0);
  if (!found) throw new Error('a mark of a collection that is not there');
  return found;
}

export async function notMarked(
  db: Connection,
  { key }: StoredCollection,
  places: readonly Place[],
): Promise<Place[]> {
  const marked = await findMarked(
    db,
    key,
    places.map(({ id }) => id),
  );
  return places.filter(({ id }) => !marked.has(id));
}

/** Of the records referred to by a relation, those marked for deletion. */
export function markedTargets(
  db: Connection,
  { field, to }: StoredRelation,
  records: readonly StoredRecord[],
): Promise<ReadonlySet<string>> {
  const ids = new Set(records.flatMap(({ values }) => values[field.name] ?? []) as string[]);
  return findMarked(db, to.key, [...ids]);
}
