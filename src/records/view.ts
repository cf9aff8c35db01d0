import { type Awaitable, after } from '../awaitable.ts';
import { Failure } from '../failure.ts';
import { Query } from '../query/query.ts';
import type { Answer, Ask } from './ask.ts';
import { isKnown, recordAnswer } from './conditional.ts';

/** GET /v1/:project/:collection/:id */
export function view(ask: Ask): Awaitable<Answer> {
  const { project, collection, id, scope } = ask;
  refuseParameters(ask);
  return after(project.store.view({ collection: collection.ref, id, scope }), (json) => {
    if (json === undefined) throw noRecord(ask);
    const answer = recordAnswer(200, collection, json);
    return isKnown(ask, answer.etag ?? '') ? { ...answer, status: 304 } : answer;
  });
}

/** The same message for a record that does not exist and one outside of the caller's scope. */
export function noRecord({ collection, id }: Ask): Failure {
  return new Failure('absent', `There is no record '${id}' in ${collection.definition.id}`);
}

export function refuseParameters(ask: Pick<Ask, 'query' | 'parameters'>): void {
  if (ask.query === '') return;
  const query = new Query(ask.parameters);
  query.refuseRest([]);
  query.done();
}
