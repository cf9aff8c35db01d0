import type { Caller } from '../access/caller.ts';
import { digest } from '../access/secret.ts';
import { Failure } from '../failure.ts';
import type { JsonObject } from '../model/json.ts';
import type { Idempotency } from '../store/plans.ts';
import type { Ask } from './ask.ts';

/** What the Idempotency-Key header says, if it is there. `address`: what the key is for. */
export function readIdempotency(
  { caller, header, now }: Pick<Ask, 'caller' | 'header' | 'now'>,
  address: string,
  body: JsonObject,
): Idempotency | undefined {
  const key = header('idempotency-key');
  if (key === null) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Failure(
      'invalid',
      'Idempotency-Key: must be 1 to 255 visible ASCII characters, such as a UUID',
    );
  }
  return { realm: `${callerName(caller)} ${address}`, key, digest: digest(JSON.stringify(body)), now };
}

/** One caller's key says nothing about another's. */
function callerName(caller: Caller): string {
  switch (caller.kind) {
    case 'user':
      return `user ${caller.user} ${caller.workspace}`;
    case 'key':
      return `key ${caller.key}`;
    case 'nobody':
    case 'administrator':
      return caller.kind;
  }
}
