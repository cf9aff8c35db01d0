import type { Caller } from '../access/caller.ts';
import type { Release } from '../access/turns.ts';
import type { Project } from '../catalog/project.ts';
import { requireCollection } from '../catalog/require-collection.ts';
import { readQueryString } from '../query/query-string.ts';
import { type BatchAsk, batchCollection, batchProject } from '../records/batch.ts';
import { refuseParameters } from '../records/view.ts';
import { admit, spendRest } from './admit.ts';
import { authenticate } from './authenticate.ts';
import { readBody } from './body.ts';
import { addressOf } from './client-address.ts';
import { auditedWrite } from './impersonated.ts';
import { requireOpenCaller } from './record-routes.ts';
import { openSuccess } from './respond.ts';
import type { Incoming, Route } from './route.ts';
import { recordBytes, type Services } from './services.ts';
import { turnTaker } from './turn-taker.ts';

/** Several writes in one request. A batch has no access level of its own; each of its operations has one. */
export function batchRoutes(services: Services): Route[] {
  const ask = (incoming: Incoming, project: Project, caller: Caller, turn: BodyTurn): BatchAsk => {
    const { request, query } = incoming;
    refuseParameters({ query, parameters: readQueryString(query) });
    return {
      project,
      caller,
      address: () => addressOf(services, incoming),
      header: (name: string) => request.headers.get(name),
      body: async () => {
        await turn.take(caller);
        return readBody(request, services.limits.batchBody);
      },
      signal: request.signal,
      spend: (operations: number) => spendRest(services, incoming, caller, operations),
      limits: services.limits.records,
      recordBytes: recordBytes(services),
      newId: services.newId,
      now: services.now(),
    };
  };
  return [
    {
      path: '/v1/:project/_batch',
      cors: true,
      verbs: {
        POST: (incoming) =>
          inBodyTurn(services, incoming, (turn) =>
            services.catalog.use(incoming.param('project'), async (project) => {
              const { headers } = incoming.request;
              const caller = await admit(services, incoming, () => authenticate(services, headers, project));
              const run = () => batchProject(ask(incoming, project, caller, turn));
              return openSuccess(await auditedWrite(services, incoming, caller, run));
            }),
          ),
      },
    },
    {
      path: '/v1/:project/:collection/batch',
      cors: true,
      verbs: {
        POST: (incoming) =>
          inBodyTurn(services, incoming, (turn) =>
            services.catalog.use(incoming.param('project'), async (project) => {
              const collection = requireCollection(project, incoming.param('collection'));
              const { headers } = incoming.request;
              const caller = await admit(services, incoming, () =>
                requireOpenCaller(services, headers, project, collection, 'batch'),
              );
              const run = () => batchCollection(ask(incoming, project, caller, turn), collection);
              return openSuccess(await auditedWrite(services, incoming, caller, run));
            }),
          ),
      },
    },
  ];
}

/** The turn that a large body needs. Taken once per request, also if the request is handled again under a new schema. */
interface BodyTurn {
  take(caller: Caller): Promise<void>;
}

/** A body is kept in memory until the response is ready, so concurrent large ones are limited per caller. */
async function inBodyTurn(
  services: Services,
  incoming: Incoming,
  work: (turn: BodyTurn) => Promise<Response>,
): Promise<Response> {
  const announced = Number(incoming.request.headers.get('content-length') ?? Number.NaN);
  const isSmall = announced <= services.limits.body.bytes;
  let release: Release | undefined;
  try {
    return await work({
      async take(caller) {
        if (isSmall || release) return;
        release = await services.turns.batches.take(turnTaker(services, incoming, caller));
      },
    });
  } finally {
    release?.();
  }
}
