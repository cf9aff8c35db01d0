import type { Answer, Ask } from './ask.ts';
import { readIfMatch } from './conditional.ts';
import { noRecord, refuseParameters } from './view.ts';

/** DELETE /v1/:project/:collection/:id */
export async function remove(ask: Ask): Promise<Answer> {
  const { project, collection, id, scope } = ask;
  refuseParameters(ask);
  const deleted = await project.store.delete({
    collection: collection.ref,
    id,
    scope,
    at: ask.now,
    ...readIfMatch(ask),
  });
  if (!deleted) throw noRecord(ask);
  return { status: 200, result: JSON.stringify({ _id: id }) };
}
