import type { Collection } from '../../../../model/collection.ts';
import type { JsonObject } from '../../../../model/json.ts';
import { readStoredCollection } from '../../../../model/read-collection.ts';
import type {
  BatchPlan,
  BatchStep,
  ChangePlan,
  DeletePlan,
  InsertPlan,
  Reference,
  UpdatePlan,
} from '../../../plans.ts';
import { type Schema, StaleSchema, type StoredCollection } from '../../../schema.ts';
import type {
  CollectionName,
  SentBatch,
  SentChange,
  SentDefinition,
  SentDelete,
  SentInsert,
  SentReference,
  SentStep,
  SentUpdate,
} from './requests.ts';

/** Plans as they were before they were sent, with the collections of the schema here. */
export class Reviver {
  readonly #schema: Schema;
  readonly #byKey: ReadonlyMap<number, StoredCollection>;

  constructor(schema: Schema) {
    this.#schema = schema;
    this.#byKey = new Map([...schema.collections.values()].map((collection) => [collection.key, collection]));
  }

  get version(): number {
    return this.#schema.version;
  }

  collection({ key, version }: CollectionName): StoredCollection {
    const found = version === this.#schema.version ? this.#byKey.get(key) : undefined;
    if (!found) throw new StaleSchema();
    return found;
  }

  insert(sent: SentInsert): InsertPlan {
    const collection = this.collection(sent.collection);
    return { ...sent, collection, references: references(collection, sent.references) };
  }

  update(sent: SentUpdate): UpdatePlan {
    const collection = this.collection(sent.collection);
    return { ...sent, collection, references: references(collection, sent.references) };
  }

  delete(sent: SentDelete): DeletePlan {
    return { ...sent, collection: this.collection(sent.collection) };
  }

  batch({ steps, idempotency }: SentBatch): BatchPlan {
    return { steps: steps.map((step) => this.#step(step)), idempotency };
  }

  #step(step: SentStep): BatchStep {
    switch (step.kind) {
      case 'insert':
        return { ...step, plan: this.insert(step.plan) };
      case 'update':
        return { ...step, plan: this.update(step.plan) };
      case 'delete':
        return { ...step, plan: this.delete(step.plan) };
    }
  }

  definition({ definition, version }: SentDefinition): Collection {
    if (version !== this.#schema.version) throw new StaleSchema();
    const ids = new Set([...this.#schema.collections.keys(), String(definition.id)]);
    // Limits and rules were checked where the request came in.
    return readStoredCollection(definition, ids);
  }

  change(sent: SentChange, progress: ChangePlan['progress']): ChangePlan {
    const { dryRun, steps, renames } = sent;
    const from = this.collection(sent.from);
    const names = [String(sent.to.id), String(sent.fromDefinition.id)];
    const ids = new Set([...this.#schema.collections.keys(), ...names]);
    const read = (definition: JsonObject) => readStoredCollection(definition, ids);
    return {
      from: { ...from, definition: read(sent.fromDefinition) },
      to: read(sent.to),
      renames: new Map(renames),
      steps,
      dryRun,
      progress,
    };
  }
}

function references({ relations }: StoredCollection, sent: readonly SentReference[]): Reference[] {
  return sent.map(({ field, ids, scope }) => {
    const relation = relations.find((one) => one.field.name === field);
    if (!relation) throw new StaleSchema();
    return { relation, ids, scope };
  });
}
