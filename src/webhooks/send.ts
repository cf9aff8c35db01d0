import { lookup } from 'node:dns/promises';
import { type BlockList, isIP } from 'node:net';
import type { AnswerHead } from './answer-head.ts';
import { type Connection, NothingAnswered } from './connection.ts';
import { destinationOf } from './connections.ts';
import { type ConnectOptions, NotConnected, openConnection } from './open-connection.ts';
import { isReachable } from './public-address.ts';

/** Milliseconds for everything: the name, the connection, the request and the head of the answer. */
const longest = 15_000;

export interface Message {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendOptions extends ConnectOptions {
  /** Addresses that are not public but may be sent to. */
  readonly allowed: BlockList;
  readonly timeout?: number;
  /** All addresses of a name. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

export type Outcome = { readonly ms: number } & (
  | ({ readonly kind: 'answered' } & AnswerHead)
  | { readonly kind: 'unanswered'; readonly reason: string }
);

/**
 * POSTs over TLS. A name is looked up once, and the connection goes to the very address that was found to be public, whatever
 * the name means a moment later. A connection is reused only if the name still has its address, and that is public. No redirect
 * is followed, no proxy is used, and no HTTP client in between decides otherwise.
 */
export async function send(message: Message, options: SendOptions, signal?: AbortSignal): Promise<Outcome> {
  const begun = performance.now();
  const over = new AbortController();
  const stop = () => over.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, options.timeout ?? longest);
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  const took = () => Math.round(performance.now() - begun);
  try {
    const head = await untilAborted(over.signal, () => attempt(message, options, over.signal));
    return { kind: 'answered', ...head, ms: took() };
  } catch (error) {
    return {
      kind: 'unanswered',
      reason: isLate ? 'there was no answer in time' : reasonOf(error),
      ms: took(),
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** Uses a kept connection, or tries one address after the other for as long as nothing was sent. */
async function attempt(message: Message, options: SendOptions, over: AbortSignal): Promise<AnswerHead> {
  const request = requestText(message, options.connections ? 'keep-alive' : 'close');
  const addresses = await reachable(message.url, options);
  over.throwIfAborted();
  const kept = findKept(message.url, addresses, options);
  if (kept) {
    try {
      return await kept.exchange(request, over);
    } catch (error) {
      // The receiver may have closed it before the request arrived.
      if (!(error instanceof NothingAnswered) || over.aborted) throw error;
    }
  }
  for (const [index, address] of addresses.entries()) {
    try {
      const connection = await openConnection(message.url, address, options, over);
      return await connection.exchange(request, over);
    } catch (error) {
      if (!(error instanceof NotConnected) || over.aborted || index === addresses.length - 1) throw error;
    }
  }
  throw new Refused('the name has no address that is public: --webhook-allow names exceptions');
}

function findKept(
  url: URL,
  addresses: readonly string[],
  { connections }: SendOptions,
): Connection | undefined {
  for (const address of addresses) {
    const kept = connections?.take(destinationOf(url, address));
    if (kept) return kept;
  }
  return undefined;
}

async function reachable(
  { hostname }: URL,
  { allowed, resolve = addressesOf }: SendOptions,
): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const found = isIP(host) ? [host] : await resolve(host);
  return found.filter((address) => isReachable(address, allowed)).slice(0, 4);
}

export async function addressesOf(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function requestText({ url, headers, body }: Message, connection: 'keep-alive' | 'close'): string {
  const all = { ...headers, host: url.host, 'content-length': String(Buffer.byteLength(body)), connection };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

class Refused extends Error {}

/** For those who manage the webhook. Of system errors only the code is given: the rest is about this machine. */
function reasonOf(error: unknown): string {
  const isWrapped = error instanceof NotConnected || error instanceof NothingAnswered;
  const cause = isWrapped ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (/CERT|SIGNED|ALTNAME|ISSUER/.test(code)) return `the certificate is not good (${code})`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the name is not known';
  if (code !== '') return `the connection failed (${code})`;
  return cause instanceof Error ? cause.message : 'the connection failed';
}

/** Does not wait for work that can't be aborted, such as looking up a name. */
function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('it was broken off'));
    if (signal.aborted) return ended();
    signal.addEventListener('abort', ended, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', ended));
  });
}
