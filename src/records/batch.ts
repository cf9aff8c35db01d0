import type { Scope } from '../access/scope.ts';
import { inSteps } from '../awaitable.ts';
import { Failure, Issues, issuesWithin, within } from '../failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { StoredCollection } from '../store/schema.ts';
import type { BatchStep } from '../store/write-plans.ts';
import type { Answer, Ask } from './ask.ts';
import { requireAnyScope, requireOpen, requireScope } from './batch-access.ts';
import { type Part, readCollectionBatch, readProjectBatch } from './batch-body.ts';
import { insertPlan } from './create.ts';
import { onlyOnce, readIdempotencyInSteps } from './idempotency.ts';
import { updatePlan } from './update.ts';

export interface BatchAsk
  extends Pick<
    Ask,
    'project' | 'caller' | 'address' | 'body' | 'header' | 'limits' | 'recordBytes' | 'newId' | 'now'
  > {
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
  /** Counts against the caller's rate limit, and throws if that is exceeded. */
  spend(operations: number): void;
}

/** POST /v1/:project/:collection/batch */
export async function batchCollection(ask: BatchAsk, collection: StoredCollection): Promise<Answer> {
  requireAnyScope(ask.caller, [collection]);
  const body = await ask.body();
  const parts = readCollectionBatch(body, collection, ask.limits.batchOperations);
  const results = await run(ask, parts, `batch ${collection.definition.id}`, body);
  const of = (method: Part['method']) => results.texts.filter((_, index) => parts[index]?.method === method);
  const deleted = parts.filter(({ method }) => method === 'delete').map(({ id }) => id);
  const result = `{"created":[${of('create')}],"updated":[${of('update')}],"deleted":${JSON.stringify(deleted)}}`;
  return { status: 200, result, headers: results.headers };
}

/** POST /v1/:project/_batch */
export async function batchProject(ask: BatchAsk): Promise<Answer> {
  requireAnyScope(ask.caller, [...ask.project.schema.collections.values()]);
  const body = await ask.body();
  const parts = readProjectBatch(body, ask.project, ask.limits.batchOperations);
  for (const { collection, place } of parts) {
    atPlace(place, () => requireOpen(ask.caller, collection, 'batch'));
  }
  const { texts, headers } = await run(ask, parts, '_batch', body);
  return { status: 200, result: `{"results":[${texts}]}`, headers };
}

async function run(ask: BatchAsk, parts: readonly Part[], address: string, body: JsonObject) {
  ask.spend(parts.length);
  const scoped = parts.map((part) => {
    const { place, collection, method } = part;
    return { part, scope: atPlace(place, () => requireScope(ask.caller, collection, method)) };
  });
  const steps = () => inSteps(plan(ask, scoped));
  const idempotency = await readIdempotencyInSteps(ask, address, body);
  return onlyOnce(ask.project.store, ask.caller, idempotency, steps, {
    mostWork: ask.limits.batchWork,
    signal: ask.signal,
  });
}

/** Validates each part with the scope of its own method, and reports the faults of all parts at once. */
function* plan(
  ask: BatchAsk,
  scoped: readonly { part: Part; scope: Scope }[],
): Generator<void, BatchStep[], void> {
  const made = new Map<string, string>();
  const issues = new Issues();
  const steps: BatchStep[] = [];
  for (const { part, scope } of scoped) {
    if (issues.full) break;
    try {
      steps.push(planStep(ask, part, scope, made, issues));
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'invalid') throw error;
      issues.add(issuesWithin(part.place, error));
    }
    yield;
  }
  issues.done();
  return steps;
}

/** `made`: the ids of the records that the batch creates, by place. */
function planStep(
  ask: BatchAsk,
  part: Part,
  scope: Scope,
  made: Map<string, string>,
  issues: Issues,
): BatchStep {
  const { method, place, collection, id } = part;
  switch (method) {
    case 'delete':
      return { kind: 'delete', place, plan: { collection: collection.ref, id, scope, at: ask.now } };
    case 'update': {
      const data = resolveRefs(part, made, issues);
      return { kind: 'update', place, plan: updatePlan(ask, collection, id, scope, data) };
    }
    case 'create': {
      const data = resolveRefs(part, made, issues);
      const created = ask.newId();
      made.set(place, created);
      return { kind: 'insert', place, plan: insertPlan(ask, collection, created, data) };
    }
  }
}

function atPlace<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Failure ? within(place, error) : error;
  }
}

/** `{"$ref": "create[0]"}` in a relation stands for the `_id` of a record created earlier in the batch. */
function resolveRefs(
  { data, collection, place }: Part,
  made: ReadonlyMap<string, string>,
  issues: Issues,
): JsonObject {
  const resolved: Record<string, Json> = { ...data };
  const resolve = (value: Json, at: string): Json => {
    if (!isJsonObject(value) || !Object.hasOwn(value, '$ref')) return value;
    const { $ref, ...rest } = value;
    const id = typeof $ref === 'string' && Object.keys(rest).length === 0 ? made.get($ref) : undefined;
    if (id !== undefined) return id;
    issues.note(`${place}.${at}`, refRule(place));
    return at; // any valid value, because the other fields are still validated
  };
  for (const { field } of collection.relations) {
    const value = Object.hasOwn(data, field.name) ? data[field.name] : undefined;
    if (value === undefined) continue;
    if (Array.isArray(value))
      resolved[field.name] = value.map((item: Json, index) => resolve(item, `${field.name}[${index}]`));
    else if (field.kind === 'single') resolved[field.name] = resolve(value, field.name);
  }
  return resolved;
}

const refRule = (place: string) =>
  `$ref must name a creation that comes earlier in the batch, such as {"$ref": "${place.startsWith('op') ? 'operations' : 'create'}[0]"}`;
