import { type Context, Hono } from 'hono';
import { Failure } from '../failure.ts';

import { authRoutes } from './auth-routes.ts';
import { batchRoutes } from './batch-routes.ts';
import { caught, handled } from './caught.ts';
import { changeRoutes } from './change-routes.ts';
import { consoleRoutes } from './console-routes.ts';
import { isOpen, preflight } from './cors.ts';
import { describeRoutes, staticRoutes } from './describe-routes.ts';
import { mailRoutes } from './mail-routes.ts';
import { managementRoutes } from './management/routes.ts';
import { metricsRoutes } from './metrics-routes.ts';
import { operationRoutes } from './operation-routes.ts';
import { recordRoutes } from './record-routes.ts';
import { failure } from './respond.ts';
import type { Handler, Incoming, Route } from './route.ts';
import type { Services } from './services.ts';
import { traceOf } from './trace.ts';

type Bindings = { Bindings: { peer: () => string } };

/** The router of all paths. */
export function createRouter(services: Services): Hono<Bindings> {
  const router = new Hono<Bindings>();
  const add = (routes: readonly Route[]) => {
    for (const route of routes) addRoute(router, services, route);
  };
  add(operationRoutes(services));
  add(metricsRoutes(services));
  add(consoleRoutes());
  add(staticRoutes());
  add(mailRoutes());
  add(managementRoutes(services));
  router.all('/v1/_admin/*', absent); // no project has that name
  add(changeRoutes(services));
  add(authRoutes(services));
  router.all('/v1/:project/_auth/*', absent); // no collection has that name
  add(describeRoutes(services));
  add(batchRoutes(services));
  add(recordRoutes(services));
  router.notFound(absent);
  router.onError((error, { req }) => caught(services, error, { trace: traceOf(req.raw) }));
  return router;
}

function addRoute(router: Hono<Bindings>, services: Services, { path, verbs, cors }: Route): void {
  const allow = [...Object.keys(verbs), ...(verbs.GET ? ['HEAD'] : []), 'OPTIONS'];
  const handle = (handler: Handler) => (context: Context<Bindings>) => {
    return handled(services, handler, incoming(context));
  };
  for (const [verb, handler] of Object.entries(verbs)) router.on(verb, path, handle(handler));
  router.on('OPTIONS', path, () => {
    return cors
      ? preflight(allow)
      : new Response(null, { status: 204, headers: { allow: allow.join(', ') } });
  });
  router.all(
    path,
    handle(async ({ request }) => {
      throw new Failure('verb', `${request.method} does not work here, ${listed(Object.keys(verbs))}`, {
        allow,
      });
    }),
  );
}

/** `only GET does`, `only GET, PATCH and DELETE do` */
function listed(verbs: readonly string[]): string {
  const last = verbs.at(-1) ?? '';
  return verbs.length < 2 ? `only ${last} does` : `only ${verbs.slice(0, -1).join(', ')} and ${last} do`;
}

/** For a path that does not exist. A preflight is answered too, so that a page of another origin can read the 404. */
function absent({ req }: Context): Response {
  if (req.method === 'OPTIONS' && req.header('access-control-request-method') && isOpen(req.path)) {
    return preflight([]);
  }
  return failure(new Failure('absent', `There is nothing at '${req.path}': ${whereElse(req.path)}`));
}

function whereElse(path: string): string {
  if (path.startsWith('/v1/_admin')) return 'management is at /v1/_admin/projects';
  const auth = /^\/v1\/[^/]+\/_auth\//.exec(path);
  if (auth) return `users sign in at ${auth[0]}login and are at ${auth[0]}me`;
  return 'records are at /v1/:project/:collection';
}

function incoming({ req, env }: Context<Bindings>): Incoming {
  const start = req.url.indexOf('?');
  const hash = req.url.indexOf('#', start);
  return {
    request: req.raw,
    param: (name) => req.param(name) ?? '',
    query: start < 0 ? '' : req.url.slice(start + 1, hash < 0 ? undefined : hash),
    peer: env.peer,
  };
}
