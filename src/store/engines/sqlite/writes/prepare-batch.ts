import { searchText } from '../../../../model/search.ts';
import type { Schemas } from '../../../known-schemas.ts';
import type { BatchPlan, BatchStep } from '../../../write-plans.ts';

/** Characters, or what takes equally long to write. */
const largeBatch = 128 * 1024;
const leastOfStep = 1_000;

interface PreparedBatch {
  readonly batch: BatchPlan;
  /** Whether others would wait for it longer than for a group. */
  readonly isLarge: boolean;
}

/** Does everything that needs no transaction in advance, as others wait for that: for 16 MiB it is two thirds of the time. */
export function* prepareBatch(schemas: Schemas, plan: BatchPlan): Generator<void, PreparedBatch, void> {
  const steps: BatchStep[] = [];
  let size = 0;
  for (const step of plan.steps) {
    const prepared = step.kind === 'insert' ? prepareInsert(schemas, step) : step;
    steps.push(prepared);
    size += leastOfStep + sizeOf(prepared);
    yield;
  }
  return { batch: { ...plan, steps }, isLarge: size > largeBatch };
}

type InsertStep = Extract<BatchStep, { kind: 'insert' }>;

function prepareInsert(schemas: Schemas, step: InsertStep): InsertStep {
  const { collection: ref, values, valuesJson = JSON.stringify(values) } = step.plan;
  const collection = schemas.find(ref.version)?.byKey.get(ref.key);
  const text = collection && searchText(collection.definition, values);
  return { ...step, plan: { ...step.plan, valuesJson, ...(text !== undefined && { searchText: text }) } };
}

function sizeOf({ kind, plan }: BatchStep): number {
  switch (kind) {
    case 'insert':
      return plan.valuesJson?.length ?? 0;
    case 'update':
      return JSON.stringify(plan.values).length;
    case 'delete':
      return 0;
  }
}
