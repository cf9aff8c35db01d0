import { v7 as uuidv7 } from 'uuid';
import { type Awaitable, after } from '../awaitable.ts';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { countRequest } from '../metrics/counted.ts';
import { setGauge } from '../metrics/gauges.ts';
import { hasUnreadBody } from './body.ts';
import { caught, handled } from './caught.ts';
import { completeServices } from './complete-services.ts';
import { allowOrigin, isOpen } from './cors.ts';
import { countedOperation } from './counted-operation.ts';
import { createRouter } from './create-router.ts';
import { discardBody } from './discard-body.ts';
import { isStreamed } from './download.ts';
import { InFlight } from './in-flight.ts';
import { type DirectHandler, directIncoming, recordHandlers } from './record-routes.ts';
import { isLonger, pathOf, withAddress } from './request-target.ts';
import { failure } from './respond.ts';
import type { GivenServices, Services } from './services.ts';
import { ticketOf, withTicket } from './tickets.ts';
import { traceOf } from './trace.ts';

export interface App {
  /**
   * `peer` returns the address of the connection. `continued`: whether the runtime has answered the client's
   * `Expect: 100-continue`.
   */
  fetch(request: Request, peer?: () => string, continued?: boolean): Awaitable<Response>;
  /** Reports the server as not ready from now on, but still answers requests. */
  retire(): void;
  /** Ends streams and waiting requests, and refuses new ones. */
  endStreams(): void;
  /** Closes each connection with its next response, and resolves when no request is in flight. */
  drain(): Promise<void>;
}

export function createApp(given: GivenServices): App {
  let ready = true;
  const services = completeServices(given, () => ready);
  const { log } = services;
  const answer = answering(services);
  const findRecordHandler = recordHandlers(services);
  const inFlight = new InFlight();
  setGauge('requestsInFlight', () => inFlight.count);

  return {
    fetch(sent, peer = () => '', continued = false) {
      const request = withAddress(sent);
      const start = performance.now();
      const direct = findRecordHandler(request);
      inFlight.begin();
      const sendBack = (response: Response) => {
        if (inFlight.draining) response.headers.set('connection', 'close');
        inFlight.end();
        const ms = performance.now() - start;
        countRequest(direct?.operation ?? countedOperation(pathOf(request.url)), response.status, ms);
        if (log.request) logRequest(log, request, response, Math.round(ms));
        return response;
      };
      return after(
        after(answer(request, peer, direct), (response) => finish(request, response, continued)),
        sendBack,
      );
    },
    retire() {
      ready = false;
    },
    endStreams: () => services.feeds.stop(),
    drain: () => inFlight.drain(),
  };
}

type Answer = (
  request: Request,
  peer: () => string,
  direct: DirectHandler | undefined,
) => Awaitable<Response>;

/** An exception here is a bug: the request gets an error response, and is no longer counted as in flight. */
function answering(services: Services): Answer {
  const router = createRouter(services);

  const answer: Answer = (request, peer, direct) => {
    if (isLonger(request.url, services.limits.url)) {
      return failure(
        new Failure(
          'uriTooLong',
          `The address is longer than ${services.limits.url} characters: ask with fewer or shorter values at a time`,
        ),
      );
    }
    const ticket = ticketOf(request);
    if (ticket !== undefined)
      return withTicket(services, request, ticket, (redeemed) => router.fetch(redeemed, { peer })).catch(
        (error: unknown) => caught(services, error),
      );
    if (direct) return handled(services, direct.handler, directIncoming(request, direct, peer));
    if (request.method !== 'HEAD') return router.fetch(request, { peer });
    const { url, headers, signal } = request;
    return after(router.fetch(new Request(url, { headers, signal }), { peer }), headOf);
  };

  return (request, peer, direct) => {
    const failed = (error: unknown) => caught(services, error, { trace: traceOf(request) });
    try {
      const response = services.catalog.request(() => answer(request, peer, direct));
      return response instanceof Promise ? response.catch(failed) : response;
    } catch (error) {
      return failed(error);
    }
  };
}

/** Makes sure that the client can read an error, also while it is still sending its body, and from a page of another origin. */
function finish(request: Request, response: Response, continued: boolean): Awaitable<Response> {
  if (response.status < 400) return response;
  if (isOpen(pathOf(request.url))) allowOrigin(response);
  if (!hasUnreadBody(request)) return response;
  response.headers.set('connection', 'close');
  const asked = request.headers.get('expect')?.toLowerCase() === '100-continue';
  if (asked && !continued) return response; // then the client does not send the body
  return discardBody(request, asked).then(() => response);
}

function logRequest(log: Log, request: Request, response: Response, ms: number): void {
  const id = response.headers.get('x-request-id') ?? uuidv7();
  const { method, url } = request;
  log.request?.({ id, method, path: pathOf(url), status: response.status, ms, trace: traceOf(request) });
}

async function headOf(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (status === 304) return response;
  if (isStreamed(response) || headers.get('content-type') === 'text/event-stream') {
    await response.body?.cancel(); // what is made in parts has no length before it is made, and a stream never has
    return new Response(null, { status, headers });
  }
  headers.set('content-length', String((await response.arrayBuffer()).byteLength));
  return new Response(null, { status, headers });
}
