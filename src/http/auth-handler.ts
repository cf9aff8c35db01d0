import { nobody } from '../access/caller.ts';
import type { AuthAsk } from '../auth/ask.ts';
import { authenticate } from './authenticate.ts';
import { readBody } from './body.ts';
import { addressOf } from './client-address.ts';
import { refuseImpersonated } from './impersonated.ts';
import { callbackOf } from './oidc-routes.ts';
import { refuseQuery } from './refuse-query.ts';
import { openSuccess, unstored } from './respond.ts';
import type { Handler } from './route.ts';
import type { Services } from './services.ts';
import { passwordsOf } from './turn-taker.ts';

/** The handler of a call to `_auth`. `enrolling`: also open to users who must set up a second factor first. */
export function authHandler(
  services: Services,
  status: 200 | 201,
  run: (ask: AuthAsk) => Promise<string>,
  access: 'open' | 'openPaged' | 'signedIn' | 'enrolling' | 'paged',
): Handler {
  return (incoming) => {
    const { request, param, query } = incoming;
    return services.catalog.useAccounts(param('project'), async (project) => {
      const { headers } = request;
      const caller =
        access === 'open' || access === 'openPaged'
          ? nobody
          : await authenticate(services, headers, project, access === 'enrolling');
      refuseImpersonated(caller, request);
      if (access !== 'paged' && access !== 'openPaged') refuseQuery(query);
      const { name, auth: settings } = await services.catalog.requireProject(project.id);
      const result = await run({
        project,
        settings,
        latestSettings: async () => (await services.catalog.requireProject(project.id)).auth,
        name,
        caller,
        param,
        query,
        body: (optional) => readBody(request, services.limits.body, optional),
        address: addressOf(services, incoming),
        agent: headers.get('user-agent') ?? '',
        limit: services.signInLimit,
        passwords: passwordsOf(services, incoming, caller),
        mails: services.mails,
        departures: services.departures,
        callback: callbackOf(services, incoming),
        now: services.now(),
      });
      return openSuccess({ status, result, headers: unstored });
    });
  };
}
