import type { Awaitable } from '../../awaitable.ts';
import type { CollectionRef } from '../plans.ts';
import type { Schema, StoredCollection } from '../schema.ts';
import type { ChangeLog } from './changes/change-log.ts';
import type { Connection } from './dialect.ts';
import type { FoundReferences } from './records/found-references.ts';

/** What the store knows of a collection without looking at its records. Written once per transaction. */
export interface Counter {
  total: number;
  /** The last place that was given. */
  seq: number;
  /** The creation time of the last record; creation times never run backwards. */
  created: number;
  /** Where places were taken before the transaction: the last of them, and its time, which those of others follow. */
  readonly end?: { readonly seq: number; readonly created: number };
}

/** Places that were taken before a transaction for its new records, by the key of the collection. Other collections have none. */
export type TakenPlaces = (key: number) => Promise<Counter> | undefined;

/** What a write step works with. */
export interface Transaction {
  readonly db: Connection;
  /** Every write of a record is noted here. */
  readonly log: ChangeLog;
  /** Related records that were found already, so that new records may refer to them without another look-up. */
  readonly found: FoundReferences;
  /** The work so far that others have to wait for, as sizes.ts counts it. */
  work: number;
  /** The schema of a plan; throws StaleSchema if it is not the current one. */
  schema(version: number): Awaitable<Schema>;
  /** The current schema, for work that spans several transactions. */
  readonly currentSchema: () => Awaitable<Schema>;
  /** The collection of a plan; throws likewise. Every write of records begins with it. */
  collection(ref: CollectionRef): Awaitable<StoredCollection>;
  /** The caller's time, limited to the latest that is allowed. To be called once the transaction knows its schema. */
  notAhead(at: number): number;
  /** The collection's counter, to be changed together with its records. */
  counter(collection: StoredCollection): Awaitable<Counter>;
  /**
   * Before several records are written: locks the counters of all their collections, in the same order for everybody, so that
   * no two transactions wait for each other.
   */
  lockCounters(collections: Iterable<StoredCollection>): Awaitable<void>;
  /** Leaves work to the end of the transaction, as nobody needs its result before. If it fails, so does the transaction. */
  leave(work: Promise<unknown>): void;
  /** Notes that records of the collection change, though not how many there are. */
  touch(collection: StoredCollection): Awaitable<void>;
  /**
   * Keeps everybody else from writing to the project until the transaction ends. A change of the schema calls it before it
   * touches what others use. Throws StaleSchema where the schema has changed since the transaction read it.
   */
  lockSchema(): Awaitable<void>;
  /** Makes all plans under the current schema stale. Every change of the schema ends with it. */
  schemaChanged(): Awaitable<void>;
}

/** May be run again after a first run was undone, so it must not change anything but the database. */
export type WriteStep<T> = (transaction: Transaction) => Awaitable<T>;

/** Runs write steps: each happens as a whole or not at all, and is durable when its promise resolves. */
export interface Writes {
  write<T>(step: WriteStep<T>): Promise<T>;
}

/** Runs a step inside a longer transaction; a step that throws leaves nothing behind. */
export type Attempt = (step: WriteStep<void>) => Promise<void>;

/** One transaction for work that takes long. */
export interface LongWrites {
  hold(work: (attempt: Attempt) => Promise<'commit' | 'rollback'>): Promise<void>;
}
