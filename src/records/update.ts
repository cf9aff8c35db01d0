import { authorityOf } from '../access/authority.ts';
import { mayBind } from '../access/caller.ts';
import type { Scope } from '../access/scope.ts';
import type { JsonObject } from '../model/json.ts';
import type { StoredCollection } from '../store/schema.ts';
import { checkElements } from '../store/sizes.ts';
import type { UpdatePlan } from '../store/write-plans.ts';
import type { Answer, Ask } from './ask.ts';
import { readIfMatch, recordAnswer } from './conditional.ts';
import { referencesOf, type Writer } from './create.ts';
import { onlyOnce, readIdempotency } from './idempotency.ts';
import { noRecord, refuseParameters } from './view.ts';

/** PATCH /v1/:project/:collection/:id */
export async function update(ask: Ask): Promise<Answer> {
  const { project, collection, id, scope } = ask;
  refuseParameters(ask);
  const body = await ask.body();
  const ifMatch = readIfMatch(ask);
  const plan = () => ({ ...updatePlan(ask, collection, id, scope, body), ...ifMatch });
  const idempotency = readIdempotency(ask, `update ${collection.definition.id} ${id}`, body);
  if (!idempotency) {
    const json = await project.store.update({ ...plan(), authority: authorityOf(ask.caller) });
    if (json === undefined) throw noRecord(ask);
    return recordAnswer(200, collection, json);
  }
  const { texts, headers } = await onlyOnce(project.store, ask.caller, idempotency, () => {
    return [{ kind: 'update', place: '', plan: plan() }];
  });
  const answer = recordAnswer(200, collection, texts[0] ?? '');
  return { ...answer, headers };
}

/** Also used for the updates of a batch. */
export function updatePlan(
  { caller, now, recordBytes }: Writer,
  collection: StoredCollection,
  id: string,
  scope: Scope,
  body: JsonObject,
): UpdatePlan {
  const { values, binding } = collection.payload.update(body, mayBind(caller));
  if (recordBytes !== undefined) checkElements(values);
  return {
    collection: collection.ref,
    id,
    scope,
    at: now,
    values,
    binding,
    references: referencesOf(caller, collection, values),
    ...(recordBytes !== undefined && { mostBytes: recordBytes }),
  };
}
