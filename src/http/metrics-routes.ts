import { hasDigest } from '../access/secret.ts';
import { Failure } from '../failure.ts';
import { metricsText, metricsType } from '../metrics/text.ts';
import { isAdministrator, readToken } from './authenticate.ts';
import { refuseQuery } from './refuse-query.ts';
import { unstored } from './respond.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';

/** The metrics of this server with all of its workers, for Prometheus. */
export function metricsRoutes(services: Services): Route[] {
  const { metrics, metricsKeyDigest, build } = services;

  async function requireReader(headers: Headers): Promise<void> {
    const token = readToken(headers);
    if (token === undefined)
      throw new Failure(
        'unauthenticated',
        "Metrics need the header Authorization: Bearer <the key of --metrics-key, or the administrator's>",
      );
    if (metricsKeyDigest !== undefined && hasDigest(token, metricsKeyDigest)) return;
    if (!(await isAdministrator(services, headers)))
      throw new Failure('forbidden', 'Metrics are for the administrator and for the key of --metrics-key');
  }

  return [
    {
      path: '/metrics',
      cors: false,
      verbs: {
        async GET({ request, query }) {
          await requireReader(request.headers);
          refuseQuery(query);
          const headers = { 'content-type': metricsType, ...unstored };
          return new Response(metricsText(await metrics(), build), { headers });
        },
      },
    },
  ];
}
