import { authorityOf } from '../access/authority.ts';
import type { Caller } from '../access/caller.ts';
import { digest } from '../access/secret.ts';
import type { Awaitable } from '../awaitable.ts';
import { Failure } from '../failure.ts';
import type { JsonObject } from '../model/json.ts';
import type { Store } from '../store/store.ts';
import type { BatchStep, Idempotency } from '../store/write-plans.ts';
import type { Ask } from './ask.ts';

/** What the Idempotency-Key header says, if it is there. `address`: what the key is for. */
export function readIdempotency(
  { caller, address: from, header, now }: Pick<Ask, 'caller' | 'address' | 'header' | 'now'>,
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
  const authority = authorityOf(caller);
  return {
    authority,
    realm: `${callerName(caller, from)} ${address}`,
    key,
    digest: digest(JSON.stringify(body)),
    now,
  };
}

/**
 * Runs the steps, or gives the results of the first time again. They are looked up before the steps are
 * planned: what was a good request then may not be one under the schema of now.
 */
export async function onlyOnce(
  store: Store,
  caller: Caller,
  idempotency: Idempotency | undefined,
  plan: () => Awaitable<readonly BatchStep[]>,
): Promise<{ texts: readonly string[]; headers: Record<string, string> }> {
  const kept = idempotency && (await store.findKept(idempotency));
  const { results, replayed } = kept
    ? { results: kept, replayed: true }
    : await store.batch({ steps: await plan(), idempotency, authority: authorityOf(caller) });
  return { texts: results, headers: replayed ? { 'idempotency-replayed': 'true' } : {} };
}

/** One caller's key says nothing about another's. */
function callerName(caller: Caller, from: () => string): string {
  switch (caller.kind) {
    case 'user':
      return `user ${caller.user} ${caller.workspace}`;
    case 'key':
      return `key ${caller.key}`;
    case 'nobody':
      return `nobody at ${from()}`;
    case 'administrator':
      return caller.kind;
  }
}
