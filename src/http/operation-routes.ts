import { Failure } from '../failure.ts';
import { refuseQuery } from './refuse-query.ts';
import { success } from './respond.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';

/** Health checks, for whoever runs the server. */
export function operationRoutes({ catalog, ready }: Services): Route[] {
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
          if (!ready()) {
            throw new Failure('unavailable', 'The server is shutting down', { retryAfter: 5 });
          }
          await catalog.listProjects({ limit: 1, offset: 0 });
          return success(200, '{"status":"ready"}');
        },
      },
    },
  ];
}
