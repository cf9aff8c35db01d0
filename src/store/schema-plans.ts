import type { Authority } from '../access/authority.ts';
import type { JsonObject } from '../model/json.ts';
import type { DiffStep } from '../model/schema-diff.ts';
import type { CollectionRef } from './plans.ts';

/** What has to hold still when the schema changes. */
interface Authorised {
  readonly authority?: Authority | undefined;
}

/** A new collection. */
export interface DefinePlan extends Authorised {
  readonly definition: JsonObject;
  /** Of the schema that the definition was read under; its relations go to collections of that. */
  readonly version: number;
}

/** A collection's definition to be replaced by another, with the records carried over. */
export interface ChangePlan extends Authorised {
  readonly collection: CollectionRef;
  readonly to: JsonObject;
  /** Names of fields: the new one and the one before. */
  readonly renames: readonly (readonly [string, string])[];
  readonly steps: readonly DiffStep[];
  /** Finds out all there is to find out, and leaves everything as it is. */
  readonly dryRun: boolean;
}

/** A collection to be deleted. */
export interface DropPlan extends Authorised {
  readonly collection: CollectionRef;
  /** Also where there are records in it, which go with it. */
  readonly confirmed: boolean;
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
