import type { ProjectAuthority } from '../access/authority.ts';
import type { Scope } from '../access/scope.ts';
import type { CollectionRef } from './plans.ts';

/** A place in a project's log of changes, with the random mark of the change that it stands on. */
export interface LogPosition {
  readonly pos: number;
  readonly mark: number;
}

/** More changes by one operation than these are reported as `refetch`, once for each collection. */
export const mostLogged = 10_000;

/** Which records of a collection are asked about. */
export interface FollowedCollection {
  readonly ref: CollectionRef;
  readonly scope: Scope;
  /** Service fields to add to each record: `_owner`, `_workspace`. */
  readonly extra: readonly ('_owner' | '_workspace')[];
}

/** A part of the log, as one caller or several with the same scope see it. */
export interface ChangesPlan {
  /** Of the schema that the collections are of. */
  readonly version: number;
  readonly after: LogPosition | 'oldest';
  readonly collections: readonly FollowedCollection[];
  /** Names of collections that are reported by `refetch` alone, besides: undefined for all. */
  readonly names: readonly string[] | undefined;
  /** Changes at most. */
  readonly limit: number;
  /** Whoever the answer is for: what they hold is looked at in the snapshot that the changes are read in. */
  readonly authorities: readonly ProjectAuthority[];
  readonly now: number;
  /** All that was committed before is to be in it, also where others are just writing what comes before that in the log. */
  readonly settled?: boolean;
}

export type FoundChange = FoundRecord | FoundRefetch;

/** The last change of a record that concerns the scope. */
export interface FoundRecord extends LogPosition {
  readonly kind: 'create' | 'update' | 'delete';
  /** The key of its collection. */
  readonly collection: number;
  readonly id: string;
  readonly at: number;
  /** As it is now; undefined where it is not in scope any more, which `kind` calls a `delete`. */
  readonly json: string | undefined;
}

/** A collection, by its name then, of which all is to be read anew. */
export interface FoundRefetch extends LogPosition {
  readonly kind: 'refetch';
  readonly name: string;
  /** The level of its `viewAll` before; undefined where nobody but the administrator could use it. */
  readonly level: string | undefined;
  readonly at: number;
}

export interface ChangesAnswer {
  readonly changes: readonly FoundChange[];
  /** Where to go on: after all that was read. */
  readonly next: LogPosition;
  /** Whether that is the end of the log. */
  readonly upToDate: boolean;
  /** Whether a write is under way whose end the log waits for: look again soon. */
  readonly pending: boolean;
  /** Those of the authorities, by their place in the plan, that do not hold any more. */
  readonly revoked: readonly number[];
}

/** The log of a project's changes: every create, update and delete of a record has a position in it. */
export interface LogStore {
  /** Throws a Failure of kind `gone` where the position is no longer kept, or is of another log. */
  read(plan: ChangesPlan): Promise<ChangesAnswer>;
  /** What there is after a position, for anybody, without the records: throws as `read` does. */
  entries(after: LogPosition): Promise<LogEntries>;
  /** Each change as it was logged, whoever it is of, without the records. */
  logged(after: LogPosition | 'oldest', limit: number): Promise<LoggedChanges>;
  newest(): Promise<LogPosition>;
  /** Those of the authorities, by their place, that do not hold any more. */
  findRevoked(authorities: readonly ProjectAuthority[], now: number): Promise<readonly number[]>;
  /**
   * Removes what is from before a time but the newest of it, so much at once. Gives the time of the oldest change that is there to be removed next;
   * undefined where there is none.
   */
  forget(before: number): Promise<number | undefined>;
  /**
   * `changed` is called, some time after the commit, when the log may have grown by whatever process, maybe
   * also when it has not. Ends by what is returned.
   */
  watch(changed: () => void): () => void;
}

/** What a change in the log is about, without the record: to know whom it concerns. */
export interface LogEntry extends LogPosition {
  readonly kind: 'record' | 'refetch';
  readonly collection: number;
  /** Owners and workspaces before and after. */
  readonly owners: readonly string[];
  readonly workspaces: readonly string[];
}

export interface LogEntries {
  /** Of the schema then. */
  readonly version: number;
  readonly entries: readonly LogEntry[];
  readonly next: LogPosition;
  readonly upToDate: boolean;
  readonly pending: boolean;
}

/** A row of the log. Of a `refetch` the id is the name of its collection. */
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
