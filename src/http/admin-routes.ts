import { createCollection, listCollections, viewCollection } from '../admin/collections.ts';
import { createProject, listProjects, viewProject } from '../admin/projects.ts';
import { requireAdministrator } from './authenticate.ts';
import { readBody } from './body.ts';
import { success } from './respond.ts';
import type { Handler, Incoming, Route } from './route.ts';
import type { Services } from './services.ts';

/** /v1/_admin: management, for the administrator alone. */
export function adminRoutes(services: Services): Route[] {
  const { catalog } = services;
  const body = ({ request }: Incoming) => readBody(request, services.limits.body);
  const managed =
    (status: 200 | 201, run: (incoming: Incoming) => Promise<string>): Handler =>
    async (incoming) => {
      requireAdministrator(services, incoming.request.headers);
      return success(status, await run(incoming));
    };
  const routes: Omit<Route, 'cors'>[] = [
    {
      path: '/projects',
      verbs: {
        GET: managed(200, ({ query }) => listProjects(catalog, query)),
        POST: managed(201, async (incoming) => createProject(catalog, await body(incoming))),
      },
    },
    {
      path: '/projects/:project',
      verbs: { GET: managed(200, ({ param }) => viewProject(catalog, param('project'))) },
    },
    {
      path: '/projects/:project/collections',
      verbs: {
        GET: managed(200, ({ param, query }) => listCollections(catalog, param('project'), query)),
        POST: managed(201, async (incoming) => {
          return createCollection(catalog, incoming.param('project'), await body(incoming));
        }),
      },
    },
    {
      path: '/projects/:project/collections/:collection',
      verbs: {
        GET: managed(200, ({ param }) => viewCollection(catalog, param('project'), param('collection'))),
      },
    },
  ];
  return routes.map((route) => ({ ...route, path: `/v1/_admin${route.path}`, cors: false }));
}
