import { authorityOf } from '../access/authority.ts';
import { type Caller, mayBind } from '../access/caller.ts';
import { findViewScope } from '../access/scope.ts';
import type { JsonObject } from '../model/json.ts';
import type { Binding, Payload, Values } from '../model/payload.ts';
import type { StoredCollection } from '../store/schema.ts';
import { checkElements } from '../store/sizes.ts';
import type { InsertPlan, Reference } from '../store/write-plans.ts';
import type { Answer, Ask } from './ask.ts';
import { recordAnswer } from './conditional.ts';
import { onlyOnce, readIdempotency } from './idempotency.ts';
import { refuseParameters } from './view.ts';

/** POST /v1/:project/:collection */
export async function create(ask: Ask): Promise<Answer> {
  const { project, collection } = ask;
  refuseParameters(ask);
  const body = await ask.body();
  const idempotency = readIdempotency(ask, `create ${collection.definition.id}`, body);
  if (!idempotency) {
    const plan = insertPlan(ask, collection, ask.newId(), body);
    const json = await project.store.insert({ ...plan, authority: authorityOf(ask.caller) });
    return recordAnswer(201, collection, json);
  }
  const { texts, headers } = await onlyOnce(project.store, ask.caller, idempotency, () => {
    return [{ kind: 'insert', place: '', plan: insertPlan(ask, collection, ask.newId(), body) }];
  });
  const answer = recordAnswer(201, collection, texts[0] ?? '');
  return { ...answer, headers };
}

/** Who writes, when, and how large a record may become; an import has no such limit. */
export type Writer = Pick<Ask, 'caller' | 'now'> & Partial<Pick<Ask, 'recordBytes'>>;

/** Also used for the creations of a batch. */
export function insertPlan(
  { caller, now, recordBytes }: Writer,
  collection: StoredCollection,
  id: string,
  body: JsonObject,
): InsertPlan {
  const payload = collection.payload.create(body, mayBind(caller));
  if (recordBytes !== undefined) checkElements(payload.values);
  return {
    ...planOf({ caller, now }, collection, id, payload),
    ...(recordBytes !== undefined && { mostBytes: recordBytes }),
  };
}

/** For a body that was checked already. */
export function planOf(
  { caller, now }: Pick<Ask, 'caller' | 'now'>,
  collection: StoredCollection,
  id: string,
  { values, binding }: Payload,
): InsertPlan {
  return {
    collection: collection.ref,
    id,
    at: now,
    values,
    binding: { ...ownBinding(caller), ...binding },
    references: referencesOf(caller, collection, values),
  };
}

/** A record created with a user's token belongs to them and their workspace, at every level. */
function ownBinding(caller: Caller): Binding {
  return caller.kind === 'user' ? { owner: caller.user, workspace: caller.workspace } : {};
}

/** The related records that a payload names, which the caller must be able to view. */
export function referencesOf(caller: Caller, { relations }: StoredCollection, values: Values): Reference[] {
  const references: Reference[] = [];
  for (const { field, to } of relations) {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : null;
    const ids = (Array.isArray(value) ? value : value === null ? [] : [value]) as string[];
    if (ids.length > 0)
      references.push({ field: field.name, ids, scope: findViewScope(caller, to.definition) });
  }
  return references;
}
