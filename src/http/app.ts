import { type Context, Hono } from 'hono';
import { v7 as uuidv7 } from 'uuid';
import { type Awaitable, after } from '../awaitable.ts';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { adminRoutes } from './admin-routes.ts';
import { authRoutes } from './auth-routes.ts';
import { batchRoutes } from './batch-routes.ts';
import { consoleRoutes } from './console-routes.ts';
import { allowOrigin, preflight } from './cors.ts';
import { operationRoutes } from './operation-routes.ts';
import { recordHandlers, recordRoutes } from './record-routes.ts';
import { failure, unexpected } from './respond.ts';
import type { Handler, Incoming, Route } from './route.ts';
import type { Services } from './services.ts';
import { redeemTicket, ticketOf } from './tickets.ts';

type Bindings = { Bindings: { peer: () => string } };

export interface App {
  /** `peer` tells the address the connection comes from. */
  fetch(request: Request, peer?: () => string): Awaitable<Response>;
  /** Refuses new requests and waits until those in flight are answered. */
  drain(): Promise<void>;
}

export function createApp(given: Services): App {
  const services: Services = { ...given, passes: new Set() };
  const router = createRouter(services);
  const findRecordHandler = recordHandlers(services);
  let inFlight = 0;
  let drained: (() => void) | undefined;

  function answer(request: Request, peer: () => string): Awaitable<Response> {
    if (drained)
      return allowOrigin(
        failure(new Failure('unavailable', 'The server is shutting down', { retryAfter: 5 })),
      );
    if (urlLength(request.url) > services.limits.url) {
      return allowOrigin(
        failure(new Failure('uriTooLong', `The address is longer than ${services.limits.url} characters`)),
      );
    }
    const ticket = ticketOf(request);
    if (ticket !== undefined)
      return redeemTicket(services, request, ticket).then(
        (redeemed) => router.fetch(redeemed, { peer }),
        (error: unknown) => caught(services, error),
      );
    const direct = findRecordHandler(request);
    if (direct) return handled(services, true, direct.handler, { request, peer, ...direct });
    if (request.method !== 'HEAD') return router.fetch(request, { peer });
    const whole = router.fetch(new Request(request.url, { headers: request.headers }), { peer });
    return after(whole, headOf);
  }

  return {
    fetch(request, peer = () => '') {
      const { log, now } = services;
      const start = log.request ? now() : 0;
      inFlight += 1;
      const answered = (response: Response) => {
        inFlight -= 1;
        if (inFlight === 0) drained?.();
        if (log.request) logRequest(log, request, response, now() - start);
        return response;
      };
      const response = services.catalog.request(() => answer(request, peer));
      return response instanceof Promise ? response.then(answered) : answered(response);
    },
    drain: () =>
      new Promise((resolve) => {
        drained = resolve;
        if (inFlight === 0) resolve();
      }),
  };
}

function createRouter(services: Services): Hono<Bindings> {
  const router = new Hono<Bindings>();
  const add = (routes: readonly Route[]) => {
    for (const route of routes) addRoute(router, services, route);
  };
  const absent = ({ req }: Context) =>
    failure(
      new Failure('absent', `There is nothing at ${req.path}: records are at /v1/:project/:collection`),
    );
  add(operationRoutes(services));
  add(consoleRoutes());
  add(adminRoutes(services));
  router.all('/v1/_admin/*', absent); // no project has that name
  add(authRoutes(services));
  router.all('/v1/:project/_auth/*', absent); // no collection has that name
  add(batchRoutes(services));
  add(recordRoutes(services));
  router.notFound(absent);
  router.onError((error) => caught(services, error));
  return router;
}

function addRoute(router: Hono<Bindings>, services: Services, { path, verbs, cors }: Route): void {
  const allow = [...Object.keys(verbs), ...(verbs.GET ? ['HEAD'] : []), 'OPTIONS'];
  const handle = (handler: Handler) => (context: Context<Bindings>) => {
    return handled(services, cors, handler, incoming(context));
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
      throw new Failure('verb', `${request.method} is not possible here: use ${allow.join(', ')}`, { allow });
    }),
  );
}

function handled(services: Services, cors: boolean, handler: Handler, ask: Incoming): Awaitable<Response> {
  const failed = (error: unknown) => {
    const response = caught(services, error);
    // What was not read of the body would stand in the way of the connection's next request.
    if (hasUnreadBody(ask.request)) response.headers.set('connection', 'close');
    return cors ? allowOrigin(response) : response;
  };
  try {
    const response = handler(ask);
    return response instanceof Promise ? response.catch(failed) : response;
  } catch (error) {
    return failed(error);
  }
}

function logRequest(log: Log, request: Request, response: Response, ms: number): void {
  const id = response.headers.get('x-request-id') ?? uuidv7();
  const { pathname: path } = new URL(request.url);
  log.request?.({ id, method: request.method, path, status: response.status, ms });
}

function hasUnreadBody({ method, bodyUsed, headers }: Request): boolean {
  const announced = headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0;
  return method !== 'GET' && announced && !bodyUsed;
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

function caught({ log }: Services, error: unknown): Response {
  if (error instanceof Failure) return failure(error);
  const requestId = uuidv7();
  log.error('a request failed', error, requestId);
  return unexpected(requestId);
}

async function headOf(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (status === 304) return response;
  if (headers.has('content-disposition')) {
    await response.body?.cancel(); // a download has no length before it is made
    return new Response(null, { status, headers });
  }
  headers.set('content-length', String((await response.arrayBuffer()).byteLength));
  return new Response(null, { status, headers });
}

/** Of path and query: what the caller wrote behind the host. */
function urlLength(url: string): number {
  return url.length - url.indexOf('/', 8);
}
