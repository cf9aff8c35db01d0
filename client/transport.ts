import { VitrineError } from './error.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Call extends CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The server does it once, however often it is sent: every attempt carries the same idempotency key (this one, if it is a
   * string).
   */
  readonly once?: boolean | string;
  /** Sending it again does no harm, as with every GET. */
  readonly repeatable?: boolean;
  /** For those who have no token yet. */
  readonly open?: boolean;
}

/** Sends a request and returns what `read` makes of a successful answer: by default the `result` of its envelope. */
export type Send = <T>(
  verb: string,
  path: string,
  call?: Call,
  read?: (response: Response) => T | Promise<T>,
) => Promise<T>;

/** A token, and who holds it where that can change. */
export interface Credential {
  readonly token: string | undefined;
  readonly holder?: { readonly _id: string; readonly workspace: string | null } | undefined;
}

/** Where the token of a request comes from, and how to get another one of the same holder when it is refused. */
export interface Tokens {
  /** `writes`: what is not done as nobody for somebody who was signed in. */
  get(writes?: boolean): Promise<Credential>;
  renew?(refused: Credential): Promise<Credential>;
}

type Token = string | undefined;
export type TokenSource = Token | (() => Token | Promise<Token>);

/** The same for every request, or what a function gives for each. */
export function fixedTokens(source: TokenSource): Tokens {
  return { get: async () => ({ token: typeof source === 'function' ? await source() : source }) };
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const mostTries = 3;
/** Seconds. A longer `Retry-After` is not waited for: the caller decides. */
const longestWait = 30;

export function transport(base: string, fetch: Fetch, tokens: Tokens): Send {
  return async (verb, path, call = {}, read = readResult) => {
    const { signal, once, open, body = verb === 'POST' ? {} : undefined } = call;
    const repeatable = verb === 'GET' || once || call.repeatable;
    const headers: Record<string, string> = { ...call.headers };
    if (once) headers['idempotency-key'] = once === true ? randomKey() : once;
    const init: RequestInit = { method: verb, headers, ...(signal && { signal }) };
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(body);
    }
    signal?.throwIfAborted();
    let used = open ? undefined : await unlessAborted(tokens.get(verb !== 'GET'), signal);
    let renewed = false;
    for (let tries = 1; ; tries++) {
      if (used?.token) headers.authorization = `Bearer ${used.token}`;
      try {
        const response = await fetch(base + path, init);
        if (!response.ok) throw await refusal(response);
        return await read(response);
      } catch (error) {
        signal?.throwIfAborted();
        const known = error instanceof VitrineError ? error : noAnswer(base, error);
        if (known.status === 401 && used?.token && tokens.renew && !renewed) {
          renewed = true;
          used = await unlessAborted(tokens.renew(used), signal);
          if (!used.token) throw known;
          tries -= 1;
          continue;
        }
        const wait = known.status ? known.retryAfter : repeatable ? 0.2 * 4 ** (tries - 1) : undefined;
        if (tries >= mostTries || wait === undefined || wait > longestWait) throw known;
        await pause(wait, signal);
      }
    }
  };
}

/** Not `randomUUID`, which a page without TLS does not have. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export async function readResult<T>(response: Response): Promise<T> {
  const { status } = response;
  const text = await response.text();
  try {
    const { result } = JSON.parse(text) as { result: T };
    if (result instanceof Object) return result;
  } catch {}
  throw notOurs(status);
}

/** For an answer with a success status that is not Vitrine's, such as the page of a proxy. */
export const notOurs = (status: number) =>
  new VitrineError(status, 'The answer is not from Vitrine: is the address right?');

async function refusal(response: Response): Promise<VitrineError> {
  const { status, statusText, headers } = response;
  const after = headers.get('retry-after');
  const text = await response.text();
  let message = statusText || `The server answered ${status}`;
  let cause: unknown = text; // of something in between, unless it is in our envelope
  try {
    const { ok, error } = JSON.parse(text) as { ok?: unknown; error?: unknown };
    if (typeof error === 'string') message = error;
    if (ok === false) cause = undefined;
  } catch {}
  return new VitrineError(status, message, after ? secondsOf(after) : undefined, cause);
}

/** `Retry-After` is a number of seconds or, from a proxy, a date. */
function secondsOf(after: string): number {
  const seconds = Number(after);
  return seconds >= 0 ? seconds : Math.max(0, (Date.parse(after) - Date.now()) / 1000) || 0;
}

/** A refresh serves all calls that wait for it, so aborting one of them must not end it. */
async function unlessAborted<T>(value: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return value;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

export function noAnswer(base: string, cause: unknown): VitrineError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new VitrineError(0, `No answer from ${base}: ${why}`, undefined, cause);
}

/**
 * Up to a quarter longer, so that clients that were refused together do not come back together. A timer of more than 24 days
 * would fire at once.
 */
export function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, Math.min(seconds, 86_400) * (1000 + Math.random() * 250));
    signal?.addEventListener('abort', end);
  });
}
