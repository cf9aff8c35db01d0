import { authorityOf } from '../access/authority.ts';
import { mayBind } from '../access/caller.ts';
import { Failure } from '../failure.ts';
import { Query } from '../query/query.ts';
import type { DeletePlan } from '../store/write-plans.ts';
import type { Answer, Ask } from './ask.ts';
import { readIfMatch } from './conditional.ts';
import { onlyOnce, readIdempotency } from './idempotency.ts';
import { noRecord } from './view.ts';

/** DELETE /v1/:project/:collection/:id */
export async function remove(ask: Ask): Promise<Answer> {
  const { project, collection, id, scope } = ask;
  const dryRun = readDryRun(ask);
  const plan: DeletePlan = { collection: collection.ref, id, scope, at: ask.now, ...readIfMatch(ask) };
  if (dryRun) return preview(ask, plan);
  const idempotency = readIdempotency(ask, `delete ${collection.definition.id} ${id}`, {});
  if (idempotency) {
    const steps = () => [{ kind: 'delete', place: '', plan } as const];
    const { texts, headers } = await onlyOnce(project.store, ask.caller, idempotency, steps);
    return { status: 200, result: texts[0] ?? '', headers };
  }
  const authority = authorityOf(ask.caller);
  if (!(await project.store.delete({ ...plan, authority }))) throw noRecord(ask);
  return { status: 200, result: JSON.stringify({ _id: id }) };
}

/** What the deletion would do, by collection. Not for everybody, because it counts records of other owners. */
async function preview(ask: Ask, plan: DeletePlan): Promise<Answer> {
  const outcome = await ask.project.store.previewDelete(plan);
  if (!outcome) throw noRecord(ask);
  return { status: 200, result: JSON.stringify(outcome) };
}

function readDryRun(ask: Ask): boolean {
  if (ask.query === '') return false;
  const query = new Query(ask.parameters);
  const text = query.take('dryRun');
  if (text !== undefined && text !== 'true' && text !== 'false')
    query.fault('dryRun', `must be true or false, not '${text}'`);
  query.refuseRest(['dryRun']);
  query.done();
  if (text !== 'true') return false;
  if (mayBind(ask.caller)) return true;
  throw new Failure('forbidden', 'dryRun is for server keys and the administrator');
}
