import { createHash } from 'node:crypto';
import { authorityOf } from '../access/authority.ts';
import type { Caller } from '../access/caller.ts';
import { digest } from '../access/secret.ts';
import { type Awaitable, inSteps } from '../awaitable.ts';
import { Failure } from '../failure.ts';
import type { JsonObject } from '../model/json.ts';
import type { Store } from '../store/store.ts';
import type { BatchStep, Idempotency } from '../store/write-plans.ts';
import type { Ask } from './ask.ts';

type KeyedAsk = Pick<Ask, 'caller' | 'address' | 'header' | 'now'>;

/** Reads the Idempotency-Key header, if there is one. `address`: the operation that the key is for. */
export function readIdempotency(ask: KeyedAsk, address: string, body: JsonObject): Idempotency | undefined {
  const keyed = readKey(ask, address);
  return keyed && { ...keyed, digest: digest(JSON.stringify(body)) };
}

/** The same for a body that may be large: other requests are answered meanwhile. */
export async function readIdempotencyInSteps(
  ask: KeyedAsk,
  address: string,
  body: JsonObject,
): Promise<Idempotency | undefined> {
  const keyed = readKey(ask, address);
  return keyed && { ...keyed, digest: await inSteps(digestInSteps(body)) };
}

/** The digest of the body as JSON, computed an operation at a time. */
function* digestInSteps(body: JsonObject): Generator<void, string, void> {
  const hash = createHash('sha256').update('{');
  for (const [index, [name, value]] of Object.entries(body).entries()) {
    hash.update(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`);
    if (!Array.isArray(value)) hash.update(JSON.stringify(value));
    else {
      hash.update('[');
      for (const [at, item] of value.entries()) {
        hash.update(`${at === 0 ? '' : ','}${JSON.stringify(item)}`);
        yield;
      }
      hash.update(']');
    }
    yield;
  }
  return hash.update('}').digest('base64url');
}

function readKey(ask: KeyedAsk, address: string): Omit<Idempotency, 'digest'> | undefined {
  const { caller, now } = ask;
  const key = ask.header('idempotency-key');
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
    realm: `${callerName(caller, () => ask.address())} ${address}`,
    key,
    now,
  };
}

/**
 * Runs the steps, or returns the results of the first run again. These are looked up before the steps are planned, because a
 * request that was valid then may not be valid under the current schema.
 */
export async function onlyOnce(
  store: Store,
  caller: Caller,
  idempotency: Idempotency | undefined,
  plan: () => Awaitable<readonly BatchStep[]>,
  { mostWork, signal }: { mostWork?: number; signal?: AbortSignal } = {},
): Promise<{ texts: readonly string[]; headers: Record<string, string> }> {
  const kept = idempotency && (await store.findKept(idempotency));
  const { results, replayed } = kept
    ? { results: kept, replayed: true }
    : await store.batch(
        { steps: await plan(), idempotency, authority: authorityOf(caller), mostWork },
        signal,
      );
  return { texts: results, headers: replayed ? { 'idempotency-replayed': 'true' } : {} };
}

/** Keys are separate for each caller. */
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
