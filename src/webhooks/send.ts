import { lookup } from 'node:dns/promises';
import { type BlockList, isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { type AnswerHead, readAnswerHead } from './answer-head.ts';
import { isReachable } from './public-address.ts';

/** Milliseconds for all of it: the name, the connection, the request and the head of the answer. */
const longest = 15_000;
/** Bytes of an answer that are read, to let the receiver end it in peace, before the connection is closed. */
const mostDiscarded = 64 * 1024;
/** Milliseconds that this may take. */
const longestDiscard = 1_000;

export interface Message {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendWays {
  /** Addresses that are not public, to which may be sent nevertheless. */
  readonly allowed: BlockList;
  readonly timeout?: number;
  /** All addresses of a name. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** Certificates to trust in place of the system's. */
  readonly ca?: string;
}

export type Outcome = { readonly ms: number } & (
  | ({ readonly kind: 'answered' } & AnswerHead)
  | { readonly kind: 'unanswered'; readonly reason: string }
);

/**
 * POSTs over TLS. A name is looked up once, and the connection goes to the very address that was found to be public:
 * whatever the name means a moment later. No redirect is followed, no proxy asked, and no HTTP client between has a mind
 * of its own about either.
 */
export async function send(message: Message, ways: SendWays, signal?: AbortSignal): Promise<Outcome> {
  const begun = performance.now();
  const end = AbortSignal.timeout(ways.timeout ?? longest);
  const over = signal ? AbortSignal.any([end, signal]) : end;
  const took = () => Math.round(performance.now() - begun);
  try {
    const head = await untilAborted(over, () => attempt(message, ways, over));
    return { kind: 'answered', ...head, ms: took() };
  } catch (error) {
    const reason = end.aborted ? 'there was no answer in time' : reasonOf(error);
    return { kind: 'unanswered', reason, ms: took() };
  }
}

/** One address after the other, as long as nothing was sent. */
async function attempt(message: Message, ways: SendWays, over: AbortSignal): Promise<AnswerHead> {
  const addresses = await reachable(message.url, ways);
  for (const [index, address] of addresses.entries()) {
    try {
      return await exchange(await open(message.url, address, ways, over), message, over);
    } catch (error) {
      if (!(error instanceof NotConnected) || index === addresses.length - 1) throw error;
    }
  }
  throw new Refused('the name has no address that is public: --webhook-allow names exceptions');
}

async function reachable({ hostname }: URL, { allowed, resolve = addressesOf }: SendWays): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const found = isIP(host) ? [host] : await resolve(host);
  return found.filter((address) => isReachable(address, allowed)).slice(0, 4);
}

async function addressesOf(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** With the certificate of the name verified. */
function open(
  { hostname, port }: URL,
  address: string,
  { ca }: SendWays,
  over: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...{ host: address, port: Number(port || 443), ALPNProtocols: ['http/1.1'] },
      ...(isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && { servername: hostname }),
      ...(ca !== undefined && { ca }),
    });
    over.addEventListener('abort', () => socket.destroy(), { once: true });
    socket.once('error', (error: Error) => reject(new NotConnected(error)));
    socket.once('close', () => reject(new NotConnected(new Error('the connection was closed'))));
    socket.once('secureConnect', () => resolve(socket));
  });
}

function exchange(socket: TLSSocket, message: Message, over: AbortSignal): Promise<AnswerHead> {
  const { promise, resolve, reject } = Promise.withResolvers<AnswerHead>();
  const chunks: Buffer[] = [];
  let length = 0;
  let answered = false;
  const take = (chunk: Buffer) => {
    length += chunk.length;
    if (answered) {
      if (length > mostDiscarded) socket.destroy();
      return;
    }
    chunks.push(chunk);
    try {
      const head = readAnswerHead(Buffer.concat(chunks), Date.now());
      if (!head) return;
      answered = true;
      chunks.length = 0;
      setTimeout(() => socket.destroy(), longestDiscard).unref();
      resolve(head);
    } catch (error) {
      socket.destroy();
      reject(error);
    }
  };
  socket.on('data', take);
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the connection was closed before an answer')));
  socket.on('end', () => socket.destroy());
  if (over.aborted) socket.destroy();
  else socket.write(requestText(message));
  return promise;
}

function requestText({ url, headers, body }: Message): string {
  const all = {
    ...headers,
    host: url.host,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** Nothing was sent yet: another address may do. */
class NotConnected extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

class Refused extends Error {}

/** For those who manage the webhook. Of errors of the system only the code: what else they say is about this machine. */
function reasonOf(error: unknown): string {
  const cause = error instanceof NotConnected ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (/CERT|SIGNED|ALTNAME|ISSUER/.test(code)) return `the certificate is not good (${code})`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the name is not known';
  if (code !== '') return `the connection failed (${code})`;
  return cause instanceof Error ? cause.message : 'the connection failed';
}

/** What can't be ended, such as looking up a name, is not waited for. */
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
