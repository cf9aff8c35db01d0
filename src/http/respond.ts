import type { Failure, FailureKind } from '../failure.ts';
import { countSent } from '../metrics/counted.ts';
import type { Answer } from '../records/ask.ts';
import { Lru, remember } from '../store/cache.ts';
import { openHeaders } from './cors.ts';

/** The one place where a kind of refusal becomes a status. */
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

/** Plain objects, never a shared Headers: on Node that would be the very one a response is changed by. */
const plain = { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' };
const open = { ...plain, ...openHeaders };

/** What is for one caller alone, tokens above all, is in no cache. */
export const unstored = { 'cache-control': 'no-store' };
const closed = { ...plain, ...unstored };

/** `result` is finished JSON. For callers of this origin alone. */
export function success(status: number, result: string): Response {
  return new Response(counted(envelope(result)), { status, headers: closed });
}

function counted(text: string): string {
  countSent(Buffer.byteLength(text));
  return text;
}

/** Ends its line, as whoever reads it in a terminal expects. */
function envelope(result: string): string {
  return `{"ok":true,"result":${result}}\n`;
}

/** The same for browser apps of any origin. */
export function openSuccess(answer: Answer): Response {
  const { status, headers } = answer;
  if (status === 304) return new Response(null, { status, headers: { ...openHeaders, ...headers } });
  return new Response(bodyOf(answer), {
    status,
    headers: headers ? { ...open, ...headers } : open,
  });
}

const encoder = new TextEncoder();
/**
 * The bytes of answers that come again: to encode 11 KB takes 5 µs, as long as to look the page up. As many as the store
 * keeps pages, and some that are of no use any more: an answer ends with its key, which is another after every write.
 */
const bodies = new Lru<string, Uint8Array<ArrayBuffer>>({ most: 12_000_000, weigh: ({ length }) => length });

function bodyOf({ result, key }: Answer): Uint8Array<ArrayBuffer> | string {
  const text = () => envelope(typeof result === 'string' ? result : result());
  if (key === undefined) return counted(text());
  const bytes = remember(bodies, key, () => encoder.encode(text()));
  countSent(bytes.length);
  return bytes;
}

export function failure(error: Failure): Response {
  return errorResponse(statuses[error.kind], error.message, {
    ...(error.kind === 'unauthenticated' && { 'www-authenticate': 'Bearer' }),
    ...(error.detail.allow && { allow: error.detail.allow.join(', ') }),
    ...(error.detail.retryAfter !== undefined && { 'retry-after': String(error.detail.retryAfter) }),
  });
}

/** A bug: the caller gets a number to quote, the log gets the rest. */
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
