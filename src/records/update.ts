import { mayBind } from '../access/caller.ts';
import type { Answer, Ask } from './ask.ts';
import { referencesOf } from './create.ts';
import { noRecord, refuseParameters } from './view.ts';

/** PATCH /v1/:project/:collection/:id */
export async function update(ask: Ask): Promise<Answer> {
  const { project, collection, caller, id, scope } = ask;
  refuseParameters(ask);
  const { values, binding } = collection.payload.update(await ask.body(), mayBind(caller));
  const references = referencesOf(ask, values);
  const result = await project.store.update({
    collection,
    id,
    scope,
    at: ask.now,
    values,
    binding,
    references,
  });
  if (result === undefined) throw noRecord(ask);
  return { status: 200, result };
}
