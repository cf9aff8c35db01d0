import { Failure } from '../failure.ts';
import type { JsonObject } from '../model/json.ts';
import { readJsonObject } from './json-text.ts';

export interface BodyLimits {
  readonly bytes: number;
  readonly depth: number;
  /** Milliseconds in which the whole body must have come. */
  readonly patience: number;
}

const read = new WeakMap<Request, Promise<JsonObject>>();

/** Can be asked for again: a request whose plan was overtaken by a change of the schema is answered anew. */
export function readBody(request: Request, limits: BodyLimits): Promise<JsonObject> {
  const known = read.get(request);
  if (known) return known;
  const reading = readOnce(request, limits);
  read.set(request, reading);
  return reading;
}

async function readOnce(request: Request, limits: BodyLimits): Promise<JsonObject> {
  refuseEncoding(request.headers);
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  if (announced > limits.bytes) throw tooLarge(limits);
  const bytes = await inTime(receive(request, announced, limits), limits);
  if (bytes.length > 0) refuseType(request.headers);
  return readJsonObject(decode(bytes), limits.depth);
}

function refuseType(headers: Headers): void {
  const type = headers.get('content-type') ?? '';
  if (/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)) return;
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

/** A body of known length is taken whole; another is counted as it comes. */
async function receive(request: Request, announced: number, limits: BodyLimits): Promise<Uint8Array> {
  try {
    if (!request.body) return new Uint8Array();
    if (announced <= limits.bytes) return new Uint8Array(await request.arrayBuffer());
    return await count(request.body, limits);
  } catch (error) {
    throw error instanceof Failure ? error : new Failure('invalid', 'The body stopped half-way');
  }
}

async function count(body: ReadableStream<Uint8Array>, limits: BodyLimits): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > limits.bytes) throw tooLarge(limits);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function inTime(bytes: Promise<Uint8Array>, { patience }: BodyLimits): Promise<Uint8Array> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Failure('invalid', 'The body stopped half-way')), patience);
  try {
    return await Promise.race([bytes, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function tooLarge({ bytes }: BodyLimits): Failure {
  return new Failure('tooLarge', `The body is larger than the ${bytes} bytes that are allowed`);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Failure('invalid', 'The body is not valid UTF-8');
  }
}
