import type { Caller } from '../access/caller.ts';
import type { Project } from '../catalog/project.ts';
import { requireCollection } from '../catalog/require-collection.ts';
import { readQueryString } from '../query/query-string.ts';
import { batchCollection, batchProject } from '../records/batch.ts';
import { refuseParameters } from '../records/view.ts';
import { admit, spendRest } from './admit.ts';
import { authenticate } from './authenticate.ts';
import { readCallersBody } from './caller-body.ts';
import { addressOf } from './client-address.ts';
import { findOpenCaller } from './record-routes.ts';
import { openSuccess } from './respond.ts';
import type { Incoming, Route } from './route.ts';
import { recordBytes, type Services } from './services.ts';

/** Several writes in one request. A batch has no level of its own: each of its parts has one. */
export function batchRoutes(services: Services): Route[] {
  const ask = (incoming: Incoming, project: Project, caller: Caller) => {
    const { request, query } = incoming;
    refuseParameters({ query, parameters: readQueryString(query) });
    return {
      project,
      caller,
      address: () => addressOf(services, incoming),
      header: (name: string) => request.headers.get(name),
      body: () => readCallersBody(services, request, { project, caller }, services.limits.batchBody),
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
          services.catalog.use(incoming.param('project'), async (project) => {
            const { headers } = incoming.request;
            const caller = await admit(services, incoming, () => authenticate(services, headers, project));
            return openSuccess(await batchProject(ask(incoming, project, caller)));
          }),
      },
    },
    {
      path: '/v1/:project/:collection/batch',
      cors: true,
      verbs: {
        POST: (incoming) =>
          services.catalog.use(incoming.param('project'), async (project) => {
            const collection = requireCollection(project, incoming.param('collection'));
            const { headers } = incoming.request;
            const caller = await admit(services, incoming, () =>
              findOpenCaller(services, headers, project, collection, 'batch'),
            );
            return openSuccess(await batchCollection(ask(incoming, project, caller), collection));
          }),
      },
    },
  ];
}
