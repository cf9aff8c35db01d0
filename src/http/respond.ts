import type { Failure, FailureKind } from '../failure.ts';
import { countSent } from '../metrics/counted.ts';
import type { Answer } from '../records/ask.ts';
import { Lru, remember } from '../store/cache.ts';
import { openHeaders } from './cors.ts';

/** The only place where the kind of an error becomes a status. */
const statuses: Readonly<Record<FailureKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  absent: 404,
  verb: 405,
  conflict: 409,
  gone: 410,
  stale: 412,
  tooLarge: 413,
  uriTooLong: 414,
  mediaType: 415,
  tooMany: 429,
  notSetUp: 501,
  unavailable: 503,
  tooSlow: 504,
};

export const jsonType = 'application/json; charset=utf-8';
const plain = { 'content-type': jsonType, 'x-content-type-options': 'nosniff' };
const open = { ...plain, ...openHeaders };

/** Responses for one caller only, above all tokens, must not be cached. */
export const unstored = { 'cache-control': 'no-store' };
const closed = { ...plain, ...unstored };

/** `result` is JSON. For pages of this origin only. */
export function success(status: number, result: string): Response {
  return new Response(counted(enveloped(result)), { status, headers: closed });
}

function counted(text: string): string {
  countSent(Buffer.byteLength(text));
  return text;
}

/** Around a result. Ends with a line feed, for readers at a terminal. */
export const envelope = { start: '{"ok":true,"result":', end: '}\n' };

function enveloped(result: string): string {
  return `${envelope.start}${result}${envelope.end}`;
}

/** The same, for browser apps of any origin. */
export function openSuccess(answer: Answer): Response {
  const { status, etag, headers } = answer;
  const tag = etag === undefined ? {} : { etag };
  if (status === 304) return new Response(null, { status, headers: { ...openHeaders, ...tag, ...headers } });
  const isUsual = headers === undefined && copiesHeaders();
  return new Response(bodyOf(answer), {
    status,
    headers: isUsual ? usualHeaders(etag) : { ...open, ...tag, ...headers },
  });
}

const untagged = new Headers(open);
const tagged = new Headers(open);

/** To copy Headers takes a third of the time of reading a plain object. What is returned is valid until the next call. */
function usualHeaders(etag: string | undefined): Headers {
  if (etag === undefined) return untagged;
  tagged.set('etag', etag);
  return tagged;
}

let checked: typeof Response | undefined;
let copies = false;

/** Whether responses copy the Headers they are given, as the standard demands. Those of the server on Node do not. */
function copiesHeaders(): boolean {
  if (checked === Response) return copies;
  checked = Response;
  const given = new Headers({ etag: 'before' });
  const response = new Response(null, { headers: given });
  given.set('etag', 'after');
  copies = response.headers.get('etag') === 'before';
  return copies;
}

const encoder = new TextEncoder();
/**
 * Caches the bytes of responses: encoding 11 KB takes 5 µs, as long as looking up the page. Has room for as many as the store
 * caches pages, and for some stale ones: the key changes with every write, and old entries get evicted.
 */
const bodies = new Lru<string, Uint8Array<ArrayBuffer>>({ most: 12_000_000, weigh: ({ length }) => length });

function bodyOf({ result, key }: Answer): Uint8Array<ArrayBuffer> | string {
  if (key === undefined) return counted(enveloped(textOf(result)));
  const bytes = remember(bodies, key, () => encoder.encode(enveloped(textOf(result))));
  countSent(bytes.length);
  return bytes;
}

function textOf(result: Answer['result']): string {
  return typeof result === 'string' ? result : result();
}

export function failure(error: Failure): Response {
  return errorResponse(statuses[error.kind], error.message, {
    ...(error.kind === 'unauthenticated' && { 'www-authenticate': 'Bearer' }),
    ...(error.detail.allow && { allow: error.detail.allow.join(', ') }),
    ...(error.detail.retryAfter !== undefined && { 'retry-after': String(error.detail.retryAfter) }),
  });
}

/** For a bug: the caller gets a request id to quote, and the log has the rest. */
export function unexpected(requestId: string): Response {
  return errorResponse(500, `Something went wrong on our side: the request's id is ${requestId}`, {
    'x-request-id': requestId,
  });
}

function errorResponse(status: number, error: string, extra: Record<string, string>): Response {
  return new Response(counted(`${JSON.stringify({ ok: false, error })}\n`), {
    status,
    headers: { ...plain, ...extra },
  });
}
