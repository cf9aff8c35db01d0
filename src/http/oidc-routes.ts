import { RateLimit } from '../access/rate-limit.ts';
import { back, beginFlow, challengePattern, endFlow, type FlowAsk } from '../auth/oidc/flow.ts';
import { Failure } from '../failure.ts';
import { isLoopback } from '../model/provider-settings.ts';
import { Query } from '../query/query.ts';
import { readQueryString } from '../query/query-string.ts';
import { addressOf } from './client-address.ts';
import { pageHeaders } from './console-routes.ts';
import { unstored } from './respond.ts';
import type { Handler, Incoming, Route } from './route.ts';
import type { Services } from './services.ts';

/** Limits how many sign-ins an address can begin, as each is stored. */
const begun = { perSecond: 1, atOnce: 60 };

/** The two URLs that the browser visits during a sign-in with a provider. They respond with pages and redirects. */
export function oidcRoutes(services: Services): { start: Handler; callback: Omit<Route, 'cors'> } {
  const limit = new RateLimit(begun.perSecond, begun.atOnce);
  return {
    start: (incoming) => withFlow(services, incoming, (ask) => start(services, incoming, ask, limit)),
    callback: {
      path: '/oidc/:provider/callback',
      verbs: {
        GET: (incoming) =>
          withFlow(services, incoming, async (ask) => {
            const to = await endFlow(ask, incoming.query, (reason) =>
              services.log.error(`signing in with ${ask.provider} failed`, reason),
            );
            return to === undefined ? lost() : redirect(to);
          }),
      },
    },
  };
}

function withFlow(
  services: Services,
  incoming: Incoming,
  run: (ask: FlowAsk) => Promise<Response>,
): Promise<Response> {
  return services.catalog.useAccounts(incoming.param('project'), async ({ id, store: { accounts } }) => {
    const { auth: settings } = await services.catalog.requireProject(id);
    const provider = incoming.param('provider');
    if (!settings.providers.some((one) => one.id === provider))
      throw new Failure('absent', `There is no provider '${provider}'`);
    const callback = callbackOf(services, incoming)(provider);
    return run({ settings, accounts, provider, callback, now: services.now() });
  });
}

async function start(
  services: Services,
  incoming: Incoming,
  ask: FlowAsk,
  limit: RateLimit,
): Promise<Response> {
  const read = new Query(readQueryString(incoming.query));
  const [to = '', challenge = ''] = [read.take('redirect'), read.take('challenge')];
  // Nothing is sent to a URL before it is known to be one of the app's.
  if (!ask.settings.redirects.includes(to)) return lost();
  if (!challengePattern.test(challenge))
    return redirect(back({ redirect: to }, { error: 'invalid_challenge' }));
  try {
    limit.enter({ token: undefined, address: () => addressOf(services, incoming), now: ask.now });
    return redirect(await beginFlow(ask, { redirect: to, challenge }));
  } catch (reason) {
    if (reason instanceof Failure && reason.kind === 'tooMany')
      return redirect(back({ redirect: to }, { error: 'temporarily_unavailable' }));
    if (reason instanceof Failure) throw reason;
    services.log.error(`the provider ${ask.provider} can't be reached`, reason);
    return redirect(back({ redirect: to }, { error: 'provider_unavailable' }));
  }
}

/**
 * The callback URL for a provider. It is never derived from the request's own host, unless that is this machine, for development.
 */
export function callbackOf(services: Services, { request, param }: Incoming): (provider: string) => string {
  return (provider) => {
    const { origin, hostname } = new URL(request.url);
    const base = services.publicUrl ?? (isLoopback(hostname) ? origin : undefined);
    if (base === undefined)
      throw new Failure('notSetUp', 'This server does not know its address: start it with --public-url');
    return `${base}/v1/${param('project')}/_auth/oidc/${provider}/callback`;
  };
}

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location, ...unstored, ...pageHeaders } });
}

/** The page for a browser that can't be redirected anywhere. */
function lost(): Response {
  const text =
    'This sign-in is not known here, or has taken too long. Go back to the app and sign in again. ' +
    "(For whoever makes the app: redirect must be exactly one of the project's auth.redirects.)";
  return new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title><p>${text}</p></html>\n`,
    {
      status: 400,
      headers: { 'content-type': 'text/html; charset=utf-8', ...unstored, ...pageHeaders },
    },
  );
}
