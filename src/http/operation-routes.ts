import { refuseQuery } from './refuse-query.ts';
import { success } from './respond.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';

/** For whoever runs the server. */
export function operationRoutes({ catalog }: Services): Route[] {
  return [
    {
      path: '/healthz',
      cors: false,
      verbs: {
        async GET({ query }) {
          refuseQuery(query);
          return success(200, '{"status":"up"}');
        },
      },
    },
    {
      path: '/readyz',
      cors: false,
      verbs: {
        async GET({ query }) {
          refuseQuery(query);
          await catalog.listProjects({ limit: 1, offset: 0 });
          return success(200, '{"status":"ready"}');
        },
      },
    },
  ];
}
