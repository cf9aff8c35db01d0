import { Failure } from '../failure.ts';
import { formatInstant } from '../model/instant.ts';
import type { StoredCollection } from './schema.ts';

/** A record's ETag: `_updatedAt` changes with every update of the record, the key with the collection. */
function recordTag(collection: StoredCollection, updatedAt: string): string {
  return `"${updatedAt}-${collection.key}"`;
}

/** Cuts `_updatedAt` out of a record's JSON, where it always comes last. */
export function tagOfJson(collection: StoredCollection, json: string): string {
  return recordTag(collection, json.slice(-26, -2));
}

export function checkTag(
  collection: StoredCollection,
  updated: number,
  ifMatch: readonly string[] | undefined,
): void {
  if (ifMatch && !ifMatch.includes(recordTag(collection, formatInstant(updated)))) {
    throw new Failure(
      'stale',
      'The record has changed since: read it again and repeat your change on what is there now',
    );
  }
}
