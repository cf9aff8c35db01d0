import type { Authority } from '../access/authority.ts';
import type { Scope } from '../access/scope.ts';
import type { ColumnValue, Operator } from '../model/field.ts';
import type { RecordTexts } from './record-texts.ts';

/**
 * What a request asks of the store, decided to the last detail and as plain data: the same object goes to a thread, into a log
 * line or a test, and its text is a key. Whoever compiles a plan has the schema of its version (known-schemas.ts). This file
 * has the reads, and the types that all plans share; the others are in write-plans.ts and schema-plans.ts.
 */

/** A collection under one version of the project's schema. */
export interface CollectionRef {
  readonly key: number;
  readonly version: number;
}

/** The right that a write is made by, which must still hold then. The writes of a batch have none of their own: the batch has one. */
export interface Authorised {
  readonly authority?: Authority | undefined;
}

/** `name` is a field or a service field. `null` among the values stands for an unset field, or a list without items. */
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
  /** Folded words, all of which must occur. */
  readonly search: readonly string[];
}

export interface SortKey {
  readonly name: string;
  readonly descending: boolean;
}

/** `brand.country` is two relations to follow, each restricted to the records that the caller may view there. */
export interface IncludePlan {
  readonly path: string;
  readonly steps: readonly IncludeStep[];
}

export interface IncludeStep {
  /** A relation of the plan's collection or, after the first step, of the collection that the previous step leads to. */
  readonly field: string;
  /** undefined: the caller may view nothing there. */
  readonly scope: Scope | undefined;
}

/** Where a page ended: the sort's values in its last record, and that record's place in the order of creation. */
export interface Position {
  readonly values: readonly ColumnValue[];
  readonly seq: number;
}

/** Asks for the position of one record in a sort. */
export interface PositionPlan extends Pick<ListPlan, 'collection' | 'sort'> {
  readonly seq: number;
}

/** A page of a walk: the records after a position, without a total. */
export interface WalkPlan extends Omit<ListPlan, 'offset' | 'key'> {
  /** undefined: from the start. */
  readonly after: Position | undefined;
  /** Bytes that its records may have, of which there are fewer instead. undefined: as many as an answer. */
  readonly most?: number;
}

export interface WalkAnswer {
  readonly found: RecordTexts;
  /** undefined: there are no more records. */
  readonly end: Position | undefined;
  readonly include: ReadonlyMap<string, string>;
}

/** Records by their places in the order of creation, as `arrange` returned them. */
export interface PickPlan extends Pick<ListPlan, 'collection' | 'where' | 'extra'> {
  readonly seqs: readonly number[];
  /** Bytes that they may have. */
  readonly most: number;
}

export interface PickAnswer {
  readonly found: readonly string[];
  /** How many of the places were read: the first ones that fit, at least one. */
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
  /** Identifies all that is asked, for caches: two plans with the same key get the same answer. */
  readonly key: string;
}

/** `shown`: how the answer is to be shown, where that makes a difference. */
export function listPlan(plan: Omit<ListPlan, 'key'>, shown: unknown = null): ListPlan {
  const { collection, where, sort, limit, offset, include, extra } = plan;
  // JSON.stringify takes 0.5 µs, and 3.7 µs where a property is undefined.
  const { scope, conditions, search } = where;
  const key = JSON.stringify([
    ...[collection.key, collection.version, limit, offset, shown],
    ...[scope, conditions, search, sort, include, extra],
  ]);
  return { collection, where, sort, limit, offset, include, extra, key };
}

/** Records stay JSON texts all the way: `found` is what stands between the brackets. */
export interface ListAnswer {
  readonly total: number;
  readonly found: string | RecordTexts;
  readonly include: ReadonlyMap<string, string>;
  /** Identifies this very answer, where it is cached: what is derived from it can be cached by this key. */
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
  /** With more values than this in a field the answer is a refusal. */
  readonly most: number;
}
