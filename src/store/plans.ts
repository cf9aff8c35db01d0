import type { Authority } from '../access/authority.ts';
import type { Scope } from '../access/scope.ts';
import type { Failure } from '../failure.ts';
import type { ColumnValue, Operator } from '../model/field.ts';
import type { JsonObject } from '../model/json.ts';
import type { Binding, Values } from '../model/payload.ts';
import type { DiffStep } from '../model/schema-diff.ts';

/**
 * What a request asks of the store, decided to the last detail and as plain data: the same object goes to a thread,
 * into a log line or a test, and its text is a key. Whoever compiles a plan has the schema of its version (schemas.ts).
 */

/** A collection under one version of the project's schema. */
export interface CollectionRef {
  readonly key: number;
  readonly version: number;
}

/** `name` is a field or one of the service's. `null` among values is a field that is unset, or a list without items. */
export type Condition =
  | { readonly kind: 'oneOf' | 'noneOf'; readonly name: string; readonly values: readonly ColumnValue[] }
  | {
      readonly kind: 'compare';
      readonly name: string;
      readonly operator: Exclude<Operator, '=' | '!='>;
      readonly value: ColumnValue;
    };

export interface Where {
  readonly scope: Scope;
  readonly conditions: readonly Condition[];
  /** Folded words that must all occur. */
  readonly search: readonly string[];
}

export interface SortKey {
  readonly name: string;
  readonly descending: boolean;
}

/** `brand.country`: two relations to follow, each into the records the caller may view there. */
export interface IncludePlan {
  readonly path: string;
  readonly steps: readonly IncludeStep[];
}

export interface IncludeStep {
  /** A relation of the plan's collection or, behind the first step, of the one the step before leads to. */
  readonly field: string;
  /** undefined: the caller may view nothing there. */
  readonly scope: Scope | undefined;
}

/** Where a page ended: the sort's values in its last record, and that record's place in creation order. */
export interface Position {
  readonly values: readonly ColumnValue[];
  readonly seq: number;
}

/** The place of one record in a sort. */
export interface PositionPlan extends Pick<ListPlan, 'collection' | 'sort'> {
  readonly seq: number;
}

/** A page of a walk: the records behind a position, without counting. */
export interface WalkPlan extends Omit<ListPlan, 'offset' | 'key'> {
  /** undefined: from the start. */
  readonly after: Position | undefined;
}

export interface WalkAnswer {
  readonly found: readonly string[];
  /** undefined: there is nothing behind the last record. */
  readonly end: Position | undefined;
  readonly include: ReadonlyMap<string, string>;
}

/** Records by their places in creation order, which `arrange` gave. */
export interface PickPlan extends Pick<ListPlan, 'collection' | 'where' | 'extra'> {
  readonly seqs: readonly number[];
}

export interface PickAnswer {
  readonly found: readonly string[];
  /** How many of the places were looked at: the first ones that fit into an answer, one at least. */
  readonly taken: number;
}

export interface ListPlan {
  readonly collection: CollectionRef;
  readonly where: Where;
  readonly sort: readonly SortKey[];
  readonly limit: number;
  readonly offset: number;
  readonly include: readonly IncludePlan[];
  /** Service fields to add to each record: `_owner`, `_workspace`. */
  readonly extra: readonly ('_owner' | '_workspace')[];
  /** Names all that is asked, for what is remembered of it: two plans with the same key get the same answer. */
  readonly key: string;
}

/** `shown`: how the answer is to be shown, where that makes it another one. */
export function listPlan(plan: Omit<ListPlan, 'key'>, shown: unknown = null): ListPlan {
  return { ...plan, key: JSON.stringify([plan, shown]) };
}

/** Records are JSON texts from end to end: `found` is what stands between the brackets. */
export interface ListAnswer {
  readonly total: number;
  readonly found: string;
  readonly include: ReadonlyMap<string, string>;
  /** Names this very answer, where it is remembered: what is made of it can be kept by that. */
  readonly key?: string;
}

export interface ViewPlan {
  readonly collection: CollectionRef;
  readonly id: string;
  readonly scope: Scope;
}

export interface DistinctPlan {
  readonly collection: CollectionRef;
  readonly where: Where;
  readonly fields: readonly string[];
  /** How many values a field may have before the answer is a refusal. */
  readonly most: number;
}

/** Related records that must exist and be in scope when the write happens. */
export interface Reference {
  /** A relation of the plan's collection. */
  readonly field: string;
  readonly ids: readonly string[];
  /** undefined: the caller may view nothing there. */
  readonly scope: Scope | undefined;
}

/** What has to hold still when the write happens. Writes of a batch have none: the batch has. */
interface Authorised {
  readonly authority?: Authority | undefined;
}

export interface InsertPlan extends Authorised {
  readonly collection: CollectionRef;
  readonly id: string;
  readonly at: number;
  readonly values: Values;
  /** `values` as JSON, where that was made on the way. */
  readonly valuesJson?: string;
  readonly binding: Binding;
  readonly references: readonly Reference[];
  /** Bytes that the record may have as JSON; without it, any number. */
  readonly mostBytes?: number;
}

export interface UpdatePlan extends InsertPlan, Conditional {
  readonly scope: Scope;
}

export interface DeletePlan extends ViewPlan, Conditional, Authorised {
  readonly at: number;
}

/** How many other records a deletion would delete, change or be refused by, by collection. */
export interface ForetoldDelete {
  readonly deletes: Readonly<Record<string, number>>;
  readonly clears: Readonly<Record<string, number>>;
  readonly restricts: Readonly<Record<string, number>>;
}

/** What the record's tag must be one of for the write to happen; without it, anything. */
interface Conditional {
  readonly ifMatch?: readonly string[];
}

/** One write of several that happen together or not at all. `place` names it in an error: `create[3]`. */
export type BatchStep =
  | { readonly kind: 'insert'; readonly place: string; readonly plan: InsertPlan }
  | { readonly kind: 'update'; readonly place: string; readonly plan: UpdatePlan }
  | { readonly kind: 'delete'; readonly place: string; readonly plan: DeletePlan };

/** A request that may come again: its answer is kept, in the same transaction, and given again. */
export interface Idempotency extends Authorised {
  /** Whose key it is and for which address. */
  readonly realm: string;
  readonly key: string;
  /** Of the body: the same key with another body is a mistake. */
  readonly digest: string;
  readonly now: number;
}

export interface BatchPlan extends Authorised {
  readonly steps: readonly BatchStep[];
  readonly idempotency?: Idempotency | undefined;
}

export interface BatchAnswer {
  /** A record's JSON for each insert and update, `{"_id":…}` for each delete. */
  readonly results: readonly string[];
  readonly replayed: boolean;
}

/** Records without end to be inserted in one transaction, as they come. */
export interface LoadPlan {
  /** Each part is as many as are at hand. */
  readonly records: AsyncIterable<readonly LoadRecord[]>;
  /** Is called for each record that is refused, which leaves the others be. */
  refused(place: number, failure: Failure): void;
  /** Asked at the end: are the others to stay? */
  keep(): boolean;
}

export interface LoadRecord {
  /** Where it comes from: a line of a file. */
  readonly place: number;
  readonly plan: InsertPlan;
}

/** A new collection. */
export interface DefinePlan {
  readonly definition: JsonObject;
  /** Of the schema that the definition was read under; its relations go to collections of that. */
  readonly version: number;
}

/** A collection's definition to be replaced by another, with the records carried over. */
export interface ChangePlan {
  readonly collection: CollectionRef;
  readonly to: JsonObject;
  /** Names of fields: the new one and the one before. */
  readonly renames: readonly (readonly [string, string])[];
  readonly steps: readonly DiffStep[];
  /** Finds out all there is to find out, and leaves everything as it is. */
  readonly dryRun: boolean;
}

/** Is called with how many of the records are done. */
export type Progress = (done: number, total: number) => void;

/** Records that the new definition would not allow. */
export interface Contradiction {
  readonly records: number;
  /** The first few, with what is wrong with each. */
  readonly first: readonly { readonly id: string; readonly reason: string }[];
}

export interface ChangeAnswer {
  /** How many records hold a value, by field of the definition before. */
  readonly held: readonly (readonly [string, number])[];
  readonly total: number;
  /** undefined: there is none, and the change is made unless it was a dry run. */
  readonly contradiction: Contradiction | undefined;
}
