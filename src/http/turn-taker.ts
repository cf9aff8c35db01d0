import type { Caller } from '../access/caller.ts';
import { Passwords } from '../access/password.ts';
import type { ReadTurn, TurnTaker } from '../access/turns.ts';
import { addressOf } from './client-address.ts';
import type { Incoming } from './route.ts';
import type { Services } from './services.ts';

/** Identifies the caller who waits for a turn, as long as the client is connected. */
export function turnTaker(services: Services, incoming: Incoming, caller: Caller): TurnTaker {
  return {
    caller,
    address: () => addressOf(services, incoming),
    get signal() {
      return incoming.request.signal;
    },
  };
}

export function readTurn(services: Services, incoming: Incoming, caller: Caller): ReadTurn {
  const taker = turnTaker(services, incoming, caller);
  return {
    // Only expensive reads use it, and creating it costs every request something.
    get signal() {
      return taker.signal;
    },
    take: () => services.turns.reads.take(taker),
  };
}

/** `first`: called before each hash, within its turn. */
export function passwordsOf(
  services: Services,
  incoming: Incoming,
  caller: Caller,
  first?: () => Promise<void> | undefined,
): Passwords {
  return new Passwords(services.turns.passwords, turnTaker(services, incoming, caller), first);
}
