import { type Caller, nobody } from '../access/caller.ts';
import { methodOff, methodOpen, scopeOf } from '../access/scope.ts';
import type { TurnTaker } from '../access/turns.ts';
import { type Awaitable, after } from '../awaitable.ts';
import type { Project } from '../catalog/project.ts';
import { requireCollection } from '../catalog/require-collection.ts';
import { Failure } from '../failure.ts';
import { operationNumber } from '../metrics/counted.ts';
import { type Method, methodEnabled } from '../model/collection.ts';
import type { Answer, Ask, FileAnswer, LargeAnswer } from '../records/ask.ts';
import { type Operation, operations } from '../records/operations.ts';
import type { StoredCollection } from '../store/schema.ts';
import { admit } from './admit.ts';
import { authenticate } from './authenticate.ts';
import { allowOrigin } from './cors.ts';
import { download } from './download.ts';
import { auditedWrite, isWrite } from './impersonated.ts';
import { inParts } from './large-answer.ts';
import { RecordAsk } from './record-ask.ts';
import { matchRecordPath, type RecordPath } from './record-path.ts';
import { jsonType, openSuccess } from './respond.ts';
import type { Handler, Incoming, Route, Verb } from './route.ts';
import type { Services } from './services.ts';
import { turnTaker } from './turn-taker.ts';

/** /v1/:project/:collection and below. */
export function recordRoutes(services: Services): Route[] {
  const paths = [...new Set(operations.map(({ path }) => path))];
  return paths.map((path) => {
    const here = operations.filter((operation) => operation.path === path);
    const verbs: Partial<Record<Verb, Handler>> = {};
    for (const operation of here) verbs[operation.verb] = recordHandler(services, operation);
    return { path: `/v1/:project/:collection${path}`, verbs, cors: true };
  });
}

/** The same handlers, for paths that do not need the router. */
export function recordHandlers(services: Services): (request: Request) => DirectHandler | undefined {
  const handlers = new Map(
    operations
      .filter(({ path }) => path === '' || path === '/:id')
      .map((operation) => [
        `${operation.verb}${operation.path}`,
        { handler: recordHandler(services, operation), operation: operationNumber(operation.method) },
      ]),
  );
  return (request) => {
    const path = matchRecordPath(request.url);
    const found = path && handlers.get(path.id === '' ? request.method : `${request.method}/:id`);
    if (!found) return undefined;
    const { handler, operation } = found;
    return { handler, operation, path };
  };
}

export interface DirectHandler {
  readonly handler: Handler;
  /** Its number in the metrics. */
  readonly operation: number;
  readonly path: RecordPath;
}

export function directIncoming(request: Request, { path }: DirectHandler, peer: () => string): Incoming {
  return { request, peer, query: path.query, param: (name) => path[name as 'project' | 'collection' | 'id'] };
}

/** The order of the checks: project, collection, method enabled, token, access level; the operation does the rest. */
function recordHandler(services: Services, { method, run }: Operation): Handler {
  return (incoming) =>
    services.catalog.useNow(incoming.param('project'), (project) => {
      const collection = requireCollection(project, incoming.param('collection'));
      const { headers } = incoming.request;
      const findCaller = () => requireOpenCaller(services, headers, project, collection, method);
      return after(admit(services, incoming, findCaller), (caller) => {
        const scope = scopeOf(caller, collection.definition, method);
        const ask = new RecordAsk(services, incoming, { project, collection, caller, scope });
        if (method === 'export')
          return exportInTurn(services, ask, turnTaker(services, incoming, caller), run);
        const answered = isWrite(method)
          ? auditedWrite(services, incoming, caller, () => run(ask))
          : run(ask);
        return after(answered, (answer) => respond(services, project, answer));
      });
    });
}

/** The turn lasts until the download ends, not just until the response begins. */
async function exportInTurn(
  services: Services,
  ask: Ask,
  taker: TurnTaker,
  run: Operation['run'],
): Promise<Response> {
  const release = await services.turns.exports.take(taker);
  try {
    return respond(services, ask.project, await run(ask), release);
  } catch (error) {
    release();
    throw error;
  }
}

function respond(
  services: Services,
  project: Project,
  answer: Answer | FileAnswer | LargeAnswer,
  end: () => void = () => {},
): Response {
  if ('status' in answer) {
    end();
    return openSuccess(answer);
  }
  const sent = 'parts' in answer ? { type: jsonType, body: inParts(answer) } : answer;
  const { response, over } = download(sent, (error) =>
    services.log.error('an answer in parts broke off', error),
  );
  // The download only begins here: the project stays open until it ends, unless it is deleted.
  services.catalog.use(project.id, () => over).catch(() => {});
  void over.then(end);
  return allowOrigin(response);
}

/** A disabled method exists only for administrators: a token is only checked to see whether it is theirs. */
export function requireOpenCaller(
  services: Services,
  headers: Headers,
  project: Project,
  { definition }: StoredCollection,
  method: Method,
): Awaitable<Caller> {
  if (methodEnabled(definition, method)) return authenticate(services, headers, project);
  return whoever(services, headers, project).then((caller) => {
    if (methodOpen(caller, definition, method)) return caller;
    throw methodOff(definition, method);
  });
}

/** Here an invalid token counts as none; a token that can't be looked up does not. */
async function whoever(services: Services, headers: Headers, project: Project): Promise<Caller> {
  try {
    return await authenticate(services, headers, project);
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'unavailable') return nobody;
    throw error;
  }
}
