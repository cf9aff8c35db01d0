import { Failure } from '../failure.ts';
import type { Answer, Ask } from './ask.ts';
import { Query } from './query.ts';

/** GET /v1/:project/:collection/:id */
export async function view(ask: Ask): Promise<Answer> {
  const { project, collection, id, scope } = ask;
  refuseParameters(ask);
  const result = await project.store.view({ collection, id, scope });
  if (result === undefined) throw noRecord(ask);
  return { status: 200, result };
}

/** The same words for a record that does not exist and one out of the caller's scope. */
export function noRecord({ collection, id }: Ask): Failure {
  return new Failure('absent', `There is no record '${id}' in ${collection.definition.id}`);
}

export function refuseParameters(ask: Ask): void {
  if (ask.parameters.length === 0) return;
  const query = new Query(ask.parameters);
  query.refuseRest([]);
  query.done();
}
