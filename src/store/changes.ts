import type { ProjectAuthority } from '../access/authority.ts';
import type { Scope } from '../access/scope.ts';
import type { CollectionRef } from './plans.ts';

/** A place in a project's log of changes, with the random mark of the change at that place. */
export interface LogPosition {
  readonly pos: number;
  readonly mark: number;
}

/** When one operation makes more changes than this, they are reported as one `refetch` for each collection. */
export const mostLogged = 10_000;

/** Which records of a collection are followed. */
export interface FollowedCollection {
  readonly ref: CollectionRef;
  readonly scope: Scope;
  /** Service fields to add to each record: `_owner`, `_workspace`. */
  readonly extra: readonly ('_owner' | '_workspace')[];
}

/** A part of the change log, as seen by callers with the same scope. */
export interface ChangesPlan {
  /** The version of the schema that the collections are of. */
  readonly version: number;
  readonly after: LogPosition | 'oldest';
  readonly collections: readonly FollowedCollection[];
  /** Names of collections that may be reported by `refetch`, besides; undefined for all. */
  readonly names: readonly string[] | undefined;
  /** The most changes to return. */
  readonly limit: number;
  /** The rights of those the answer is for: checked in the snapshot that the changes are read in. */
  readonly authorities: readonly ProjectAuthority[];
  readonly now: number;
  /** Whether the page must hold everything committed before, even while others still write what precedes that in the log. */
  readonly settled?: boolean;
}

export type FoundChange = FoundRecord | FoundRefetch;

/** The last change of a record, if it concerns the scope. */
export interface FoundRecord extends LogPosition {
  readonly kind: 'create' | 'update' | 'delete';
  /** The key of its collection. */
  readonly collection: number;
  readonly id: string;
  readonly at: number;
  /** The record as it is now; undefined where it is no longer in scope, which counts as a `delete`. */
  readonly json: string | undefined;
}

/** A collection, by its name at that time, that has to be read again as a whole. */
export interface FoundRefetch extends LogPosition {
  readonly kind: 'refetch';
  readonly name: string;
  /** The level of its `viewAll` before; undefined where only the administrator could use it. */
  readonly level: string | undefined;
  readonly at: number;
}

export interface ChangesAnswer {
  readonly changes: readonly FoundChange[];
  /** Where to go on: after everything that was read. */
  readonly next: LogPosition;
  /** Whether `next` is the end of the log. */
  readonly upToDate: boolean;
  /** Whether the log waits for a write that is under way: read again soon. */
  readonly pending: boolean;
  /** The indexes of the authorities in the plan that no longer hold. */
  readonly revoked: readonly number[];
}

/** A project's change log: every create, update and delete of a record has a position in it. */
export interface LogStore {
  /** Throws a Failure of kind `gone` if the position has expired or belongs to another log. */
  read(plan: ChangesPlan): Promise<ChangesAnswer>;
  /** The entries after a position, for any caller, without the records. Throws as `read` does. */
  entries(after: LogPosition): Promise<LogEntries>;
  /** Each change as it was logged, for any caller, without the records. */
  logged(after: LogPosition | 'oldest', limit: number): Promise<LoggedChanges>;
  newest(): Promise<LogPosition>;
  /** The indexes of the authorities that no longer hold. */
  findRevoked(authorities: readonly ProjectAuthority[], now: number): Promise<readonly number[]>;
  /**
   * Removes the changes from before a time, except the newest of them, a limited number at once. Returns the time of the oldest
   * change that can be removed next; undefined where there is none.
   */
  forget(before: number): Promise<number | undefined>;
  /**
   * Calls `changed` some time after a commit, by whatever process, when the log may have grown; it may also be called when it
   * has not. Returns a function that ends this.
   */
  watch(changed: () => void): () => void;
}

/** What a change in the log is about, without the record: enough to know whom it concerns. */
export interface LogEntry extends LogPosition {
  readonly kind: 'record' | 'refetch';
  readonly collection: number;
  /** Owners before and after the change; likewise workspaces. */
  readonly owners: readonly string[];
  readonly workspaces: readonly string[];
}

export interface LogEntries {
  /** The version of the schema at that time. */
  readonly version: number;
  readonly entries: readonly LogEntry[];
  readonly next: LogPosition;
  readonly upToDate: boolean;
  readonly pending: boolean;
}

/** A row of the log. For a `refetch` the id is the name of the collection. */
export interface LoggedRow extends LogPosition {
  readonly kind: 'create' | 'update' | 'delete' | 'refetch';
  /** The key of its collection. */
  readonly collection: number;
  readonly id: string;
  readonly at: number;
}

export interface LoggedChanges {
  readonly changes: readonly LoggedRow[];
  readonly next: LogPosition;
}
