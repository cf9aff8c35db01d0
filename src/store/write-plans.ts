import type { Scope } from '../access/scope.ts';
import type { Failure } from '../failure.ts';
import type { Binding, Values } from '../model/payload.ts';
import type { Authorised, CollectionRef, ViewPlan } from './plans.ts';

/** Related records that must exist and be in scope when the write happens. */
export interface Reference {
  /** A relation of the plan's collection. */
  readonly field: string;
  readonly ids: readonly string[];
  /** undefined: the caller may view nothing there. */
  readonly scope: Scope | undefined;
}

export interface InsertPlan extends Authorised {
  readonly collection: CollectionRef;
  readonly id: string;
  readonly at: number;
  readonly values: Values;
  /** `values` as JSON, where somebody has made that already. */
  readonly valuesJson?: string;
  /** What `search` looks at in them, likewise. */
  readonly searchText?: string;
  readonly binding: Binding;
  readonly references: readonly Reference[];
  /** The most bytes that the record may have as JSON; any number without it. */
  readonly mostBytes?: number;
}

export interface UpdatePlan extends InsertPlan, Conditional {
  readonly scope: Scope;
}

export interface DeletePlan extends ViewPlan, Conditional, Authorised {
  readonly at: number;
}

/** How many other records a deletion would delete, change, or be refused by; by collection. */
export interface DeletePreview {
  readonly deletes: Readonly<Record<string, number>>;
  readonly clears: Readonly<Record<string, number>>;
  readonly restricts: Readonly<Record<string, number>>;
}

/** The record's ETag must be one of these for the write to happen; without them any will do. */
interface Conditional {
  readonly ifMatch?: readonly string[];
}

/** One write of several that succeed or fail together. `place` names it in errors: `create[3]`. */
export type BatchStep =
  | { readonly kind: 'insert'; readonly place: string; readonly plan: InsertPlan }
  | { readonly kind: 'update'; readonly place: string; readonly plan: UpdatePlan }
  | { readonly kind: 'delete'; readonly place: string; readonly plan: DeletePlan };

/** A request that may be sent again: its answer is kept, in the same transaction, and given again. */
export interface Idempotency extends Authorised {
  /** Whose key it is, and for which URL. */
  readonly realm: string;
  readonly key: string;
  /** A digest of the body: the same key with another body is a mistake. */
  readonly digest: string;
  readonly now: number;
}

export interface BatchPlan extends Authorised {
  readonly steps: readonly BatchStep[];
  readonly idempotency?: Idempotency | undefined;
  /** The most work, as `Transaction.work` counts it. */
  readonly mostWork?: number | undefined;
}

export interface BatchAnswer {
  /** A record's JSON for each insert and update, `{"_id":…}` for each delete. */
  readonly results: readonly string[];
  readonly replayed: boolean;
}

/** Any number of records of one collection, to be inserted in one transaction as they come. */
export interface LoadPlan {
  readonly collection: CollectionRef;
  /** Each part has as many records as are at hand. */
  readonly records: AsyncIterable<readonly LoadRecord[]>;
  /** Called for each record that is refused; the others are not affected. */
  refused(place: number, failure: Failure): void;
  /** Called at the end: whether the others are to stay. */
  keep(): boolean;
}

export interface LoadRecord {
  /** Where the record comes from: a line of a file. */
  readonly place: number;
  readonly plan: InsertPlan;
}
