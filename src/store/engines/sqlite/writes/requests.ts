import type { Collection } from '../../../../model/collection.ts';
import type { JsonObject } from '../../../../model/json.ts';
import type { DiffStep } from '../../../../model/schema-diff.ts';
import { writeCollection } from '../../../../model/write-collection.ts';
import type { Accounts } from '../../../accounts.ts';
import type {
  BatchAnswer,
  BatchPlan,
  BatchStep,
  ChangeAnswer,
  ChangePlan,
  DeletePlan,
  Idempotency,
  InsertPlan,
  Reference,
  UpdatePlan,
} from '../../../plans.ts';
import type { Schema, StoredCollection } from '../../../schema.ts';

/**
 * Writes as plain data, for a writer in another thread or process. A plan's collections are named by their keys in
 * the schema of one version; the writer has that schema too, or refuses the plan as stale.
 */

export interface CollectionName {
  readonly key: number;
  readonly version: number;
}

type Sent<Plan> = Omit<Plan, 'collection' | 'references'> & { readonly collection: CollectionName };

export interface SentReference extends Pick<Reference, 'ids' | 'scope'> {
  readonly field: string;
}
export interface SentInsert extends Sent<InsertPlan> {
  readonly references: readonly SentReference[];
}
export interface SentUpdate extends Sent<UpdatePlan> {
  readonly references: readonly SentReference[];
}
export type SentDelete = Sent<DeletePlan>;

export type SentStep =
  | { readonly kind: 'insert'; readonly place: string; readonly plan: SentInsert }
  | { readonly kind: 'update'; readonly place: string; readonly plan: SentUpdate }
  | { readonly kind: 'delete'; readonly place: string; readonly plan: SentDelete };

export interface SentBatch {
  readonly steps: readonly SentStep[];
  readonly idempotency?: Idempotency | undefined;
}

export interface SentChange {
  readonly from: CollectionName;
  /** As the plan has it: relations of the collection to itself bear its new name already. */
  readonly fromDefinition: JsonObject;
  readonly to: JsonObject;
  readonly renames: readonly (readonly [string, string])[];
  readonly steps: readonly DiffStep[];
  readonly dryRun: boolean;
}

export interface SentDefinition {
  readonly definition: JsonObject;
  readonly version: number;
}

/** Of a change: what maps become on the way. */
export interface SentAnswer extends Omit<ChangeAnswer, 'held' | 'contradiction'> {
  readonly held: readonly (readonly [string, number])[];
  readonly contradiction?: ChangeAnswer['contradiction'];
}

interface Call<Sent, Answer> {
  sent: Sent;
  answer: Answer;
}

/** Every kind of write: what is sent and what comes back. */
export interface WriteCalls {
  insert: Call<SentInsert, string>;
  update: Call<SentUpdate, string | undefined>;
  delete: Call<SentDelete, boolean>;
  batch: Call<SentBatch, BatchAnswer>;
  account: Call<AccountCall, unknown>;
  createCollection: Call<SentDefinition, void>;
  changeCollection: Call<SentChange, SentAnswer>;
  deleteCollection: Call<CollectionName, void>;
}
export type WriteKind = keyof WriteCalls;

/** The calls of Accounts that write. */
export const accountWrites = [
  'openSession',
  'exchange',
  'endSession',
  'createUser',
  'updateUser',
  'deleteUser',
  'createWorkspace',
  'renameWorkspace',
  'deleteWorkspace',
  'addMember',
  'removeMember',
  'createKey',
  'deleteKey',
] as const satisfies readonly (keyof Accounts)[];

export interface AccountCall {
  readonly call: (typeof accountWrites)[number];
  readonly words: readonly unknown[];
}

export const nameOf = ({ key, schemaVersion }: StoredCollection): CollectionName => ({
  key,
  version: schemaVersion,
});

const sendReferences = (references: readonly Reference[]): SentReference[] =>
  references.map(({ relation, ids, scope }) => ({ field: relation.field.name, ids, scope }));

export function sendInsert(plan: InsertPlan): SentInsert {
  const { collection, id, at, values, binding, references } = plan;
  return { collection: nameOf(collection), id, at, values, binding, references: sendReferences(references) };
}

export function sendUpdate(plan: UpdatePlan): SentUpdate {
  return { ...plan, collection: nameOf(plan.collection), references: sendReferences(plan.references) };
}

export function sendDelete(plan: DeletePlan): SentDelete {
  return { ...plan, collection: nameOf(plan.collection) };
}

export function sendBatch({ steps, idempotency }: BatchPlan): SentBatch {
  return { steps: steps.map(sendStep), idempotency };
}

function sendStep(step: BatchStep): SentStep {
  const { place } = step;
  switch (step.kind) {
    case 'insert':
      return { kind: step.kind, place, plan: sendInsert(step.plan) };
    case 'update':
      return { kind: step.kind, place, plan: sendUpdate(step.plan) };
    case 'delete':
      return { kind: step.kind, place, plan: sendDelete(step.plan) };
  }
}

export function sendDefinition(definition: Collection, { version }: Schema): SentDefinition {
  return { definition: writeCollection(definition), version };
}

export function sendChange({ from, to, renames, steps, dryRun }: ChangePlan): SentChange {
  return {
    from: nameOf(from),
    fromDefinition: writeCollection(from.definition),
    to: writeCollection(to),
    renames: [...renames],
    steps,
    dryRun,
  };
}
