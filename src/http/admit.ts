import type { Caller } from '../access/caller.ts';
import type { Visit } from '../access/rate-limit.ts';
import type { Awaitable } from '../awaitable.ts';
import { Failure } from '../failure.ts';
import { findToken } from './authenticate.ts';
import { addressOf } from './client-address.ts';
import type { Incoming } from './route.ts';
import type { Services } from './services.ts';

/** Requests that have been charged. A request is handled again when the schema changes under it, and must not be charged twice. */
const paid = new WeakSet<Request>();

/** Charges a request to the record API before any of its body is read, and then finds its caller. */
export function admit(
  services: Services,
  incoming: Incoming,
  findCaller: () => Awaitable<Caller>,
): Awaitable<Caller> {
  const { rateLimit } = services;
  if (!rateLimit || paid.has(incoming.request)) return findCaller();
  const visit = visitOf(services, incoming);
  rateLimit.enter(visit);
  paid.add(incoming.request);
  const accepted = (caller: Caller) => {
    rateLimit.accepted(visit, caller);
    return caller;
  };
  const refused = (error: unknown): never => {
    const isToken = error instanceof Failure && ['unauthenticated', 'forbidden'].includes(error.kind);
    if (isToken) rateLimit.refused(visit);
    throw error;
  };
  try {
    const caller = findCaller();
    return caller instanceof Promise ? caller.then(accepted, refused) : accepted(caller);
  } catch (error) {
    return refused(error);
  }
}

const paidWhole = new WeakSet<Request>();

/** Charges a batch for its operations beyond the first. */
export function spendRest(services: Services, incoming: Incoming, caller: Caller, operations: number): void {
  if (operations < 2 || paidWhole.has(incoming.request)) return;
  services.rateLimit?.spendRest(caller, visitOf(services, incoming), operations - 1);
  paidWhole.add(incoming.request);
}

function visitOf(services: Services, incoming: Incoming): Visit {
  return {
    token: findToken(incoming.request.headers),
    address: () => addressOf(services, incoming),
    now: services.now(),
  };
}
