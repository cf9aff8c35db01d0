import type { JsonObject } from '../model/json.ts';
import type { DiffStep } from '../model/schema-diff.ts';
import type { Authorised, CollectionRef } from './plans.ts';

/** A new collection. */
export interface DefinePlan extends Authorised {
  readonly definition: JsonObject;
  /** The version of the schema that the definition was read under; its relations lead to collections of that schema. */
  readonly version: number;
}

/** Replaces a collection's definition and converts its records. */
export interface ChangePlan extends Authorised {
  readonly collection: CollectionRef;
  readonly to: JsonObject;
  /** The new name of a field and its old one. */
  readonly renames: readonly (readonly [string, string])[];
  readonly steps: readonly DiffStep[];
  /** Only finds out what the change would do, and changes nothing. */
  readonly dryRun: boolean;
}

/** A collection to be deleted. */
export interface DropPlan extends Authorised {
  readonly collection: CollectionRef;
  /** Even if it has records, which are deleted with it. */
  readonly confirmed: boolean;
}

/** Called with how many of the records are done. */
export type Progress = (done: number, total: number) => void;

/** Records that the new definition would not allow. */
export interface Contradiction {
  readonly records: number;
  /** The first few, with what is wrong with each. */
  readonly first: readonly { readonly id: string; readonly reason: string }[];
}

export interface ChangeAnswer {
  /** How many records hold a value, by field of the old definition. */
  readonly held: readonly (readonly [string, number])[];
  readonly total: number;
  /** undefined: there is none, and the change was made unless it was a dry run. */
  readonly contradiction: Contradiction | undefined;
}
