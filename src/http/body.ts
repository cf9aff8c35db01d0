import { setImmediate as turn } from 'node:timers/promises';
import { inSteps } from '../awaitable.ts';
import { Failure } from '../failure.ts';
import { countReceived } from '../metrics/counted.ts';
import type { JsonObject } from '../model/json.ts';
import { readJsonInSteps, readJsonObject } from '../model/read-json.ts';
import { Deadlines } from './deadlines.ts';
import { readInARow } from './discard-body.ts';

export interface BodyLimits {
  readonly bytes: number;
  readonly depth: number;
  /** Milliseconds within which the whole body must arrive. */
  readonly timeout: number;
}

/** Most characters of a body that is parsed synchronously: a few milliseconds at worst. */
const readAtOnce = 64 * 1024;

const deadlines = new Deadlines();
/** The bodies that were read; an entry ends with its request. */
const read = new WeakMap<Request, Promise<JsonObject>>();
/** Requests whose whole body has arrived. */
const received = new WeakSet<Request>();

/** `optional`: no body is an empty object. May be called again, as a request is handled again when the schema changes under it. */
export function readBody(request: Request, limits: BodyLimits, optional = false): Promise<JsonObject> {
  const known = read.get(request);
  if (known) return known;
  const reading = readOnce(request, limits, optional);
  read.set(request, reading);
  return reading;
}

/** Whether the client may still be sending. An unread body would be taken for the connection's next request. */
export function hasUnreadBody(request: Request): boolean {
  const { headers } = request;
  const announced = headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0;
  return announced && !received.has(request);
}

async function readOnce(request: Request, limits: BodyLimits, optional: boolean): Promise<JsonObject> {
  refuseEncoding(request.headers);
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  if (announced > limits.bytes) throw tooLarge(limits);
  const text = await inTime(receive(request, announced, limits), limits);
  received.add(request);
  countReceived(Number.isNaN(announced) ? Buffer.byteLength(text) : announced);
  if (text === '' && optional) return {};
  if (text !== '') refuseType(request.headers);
  if (text.length < readAtOnce) return readJsonObject(text, limits.depth);
  return inSteps(readJsonInSteps(text, limits.depth));
}

/** With any parameters: JSON defines none, and unknown ones do not matter, except for a charset. */
const jsonType = /^application\/json\s*(?:;[^,]*)?$/i;
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))/i;

function refuseType(headers: Headers): void {
  const type = headers.get('content-type') ?? '';
  if (jsonType.test(type) && !otherCharset.test(type)) return;
  throw new Failure(
    'mediaType',
    `Content-Type must be application/json, not ${type ? `'${type}'` : 'missing'}`,
  );
}

function refuseEncoding(headers: Headers): void {
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return;
  throw new Failure('mediaType', `Content-Encoding '${encoding}' is not taken: send the body uncompressed`);
}

/** A body of known length is taken whole; any other is counted as it comes. */
async function receive(request: Request, announced: number, limits: BodyLimits): Promise<string> {
  try {
    if (Number.isNaN(announced)) return request.body ? decode(await count(request.body, limits)) : '';
    return verify(await request.text(), announced);
  } catch (error) {
    throw error instanceof Failure ? error : new Failure('invalid', 'The body stopped half-way');
  }
}

async function count(body: ReadableStream<Uint8Array>, limits: BodyLimits): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(parts);
      length += value.length;
      if (length > limits.bytes) throw tooLarge(limits);
      parts.push(value);
      if (parts.length % readInARow === 0) await turn();
    }
  } finally {
    reader.releaseLock(); // discardBody reads the rest of a body that is too large
  }
}

/**
 * The runtime's own decoder is a third faster than ours on its bytes, but replaces invalid UTF-8 by U+FFFD. That makes the text
 * longer, except for the first three bytes of a four-byte character, which become one U+FFFD. It drops a byte order mark, which
 * is three bytes.
 */
function verify(text: string, announced: number): string {
  if (!text.includes('\ufffd')) return text;
  const missing = announced - Buffer.byteLength(text);
  if (missing !== 0 && missing !== 3) throw notUtf8();
  return text;
}

function inTime(text: Promise<string>, { timeout }: BodyLimits): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const late = deadlines.add(timeout, () => reject(new Failure('invalid', 'The body stopped half-way')));
  text.then(
    (whole) => {
      deadlines.drop(late);
      resolve(whole);
    },
    (error: unknown) => {
      deadlines.drop(late);
      reject(error);
    },
  );
  return promise;
}

function tooLarge({ bytes }: BodyLimits): Failure {
  return new Failure('tooLarge', `The body is larger than the ${bytes} bytes that are allowed`);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notUtf8();
  }
}

function notUtf8(): Failure {
  return new Failure('invalid', 'The body is not valid UTF-8');
}
