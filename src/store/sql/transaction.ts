import type { Awaitable } from '../../awaitable.ts';
import type { CollectionRef } from '../plans.ts';
import type { Schema, StoredCollection } from '../schema.ts';
import type { ChangeLog } from './changes/change-log.ts';
import type { Connection } from './dialect.ts';
import type { FoundReferences } from './records/found-references.ts';

/** What the store knows of a collection without looking at its records. Written once per transaction. */
export interface Counter {
  total: number;
  /** The last one given. */
  seq: number;
  /** Of the last record, as creation times never run backwards. */
  created: number;
  /** Of places that were taken before the transaction: the last one, and its time, which those of others follow. */
  readonly end?: { readonly seq: number; readonly created: number };
}

/** Places that were taken before a transaction for its new records, by the key of the collection. There are none for others. */
export type TakenPlaces = (key: number) => Promise<Counter> | undefined;

/** What a write step works with. */
export interface Transaction {
  readonly db: Connection;
  /** Every write of a record is noted here. */
  readonly log: ChangeLog;
  /** What its new records may refer to without another look. */
  readonly found: FoundReferences;
  /** What others have to wait for so far, as sizes.ts counts it. */
  work: number;
  /** The schema of a plan; throws StaleSchema where it is not the current one. */
  schema(version: number): Awaitable<Schema>;
  /** The schema as it is now, for what goes on from one transaction to the next. */
  readonly currentSchema: () => Awaitable<Schema>;
  /** The collection of a plan, in the same way. Every write of records begins with it. */
  collection(ref: CollectionRef): Awaitable<StoredCollection>;
  /** A time by the clock of whoever asks, or the latest that it may be: not before the transaction knows its schema. */
  notAhead(at: number): number;
  /** To be changed together with the records. */
  counter(collection: StoredCollection): Awaitable<Counter>;
  /**
   * Whoever writes several records begins with it, for all collections that are about to be written, in one order for everybody: so
   * no two wait for each other.
   */
  lockCounters(collections: Iterable<StoredCollection>): Awaitable<void>;
  /** Work whose outcome nobody needs before the end of the transaction, and which ends it where it fails. */
  leave(work: Promise<unknown>): void;
  /** Records of the collection change, though not how many there are. */
  touch(collection: StoredCollection): Awaitable<void>;
  /**
   * Nobody else writes to the project until the transaction ends. Every change of the schema does it before it changes what others
   * use; throws StaleSchema where what the transaction knows of the schema does not hold any more.
   */
  lockSchema(): Awaitable<void>;
  /** Makes all plans under the schema so far stale. Every change of the schema ends with it. */
  schemaChanged(): Awaitable<void>;
}

/** May be run again where a first run was undone, so it changes nothing but the database. */
export type WriteStep<T> = (transaction: Transaction) => Awaitable<T>;

/** Where write steps go: each happens as a whole or not at all, and is there to stay when its promise resolves. */
export interface Writes {
  write<T>(step: WriteStep<T>): Promise<T>;
}

/** Runs a step inside a longer transaction; one that throws leaves nothing behind. */
export type Attempt = (step: WriteStep<void>) => Promise<void>;

/** One transaction for work that takes its time. */
export interface LongWrites {
  hold(work: (attempt: Attempt) => Promise<'commit' | 'rollback'>): Promise<void>;
}
