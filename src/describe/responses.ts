import type { JsonObject } from '../model/json.ts';

/** The error responses as OpenAPI components: each is described once, and operations refer to those they can return. */

interface Refusal {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const refusals: Readonly<Record<number, Refusal>> = {
  400: {
    name: '_badRequest',
    description: 'The body or a parameter breaks a rule. All that is wrong is named, separated by "; ".',
    example: 'price: must be at least 0; title: is required',
  },
  401: {
    name: '_unauthenticated',
    description: 'A token is needed and there is none, or it is not valid or has expired.',
    example: 'The token is not valid or has expired',
    headers: { 'WWW-Authenticate': '_wwwAuthenticate' },
  },
  403: {
    name: '_forbidden',
    description: 'The token is valid but does not allow this.',
    example: 'The token is of another project',
  },
  404: {
    name: '_absent',
    description: 'It does not exist, or the caller may not see it.',
    example: "There is no record '01890000-0000-7000-8000-000000000000' in products",
  },
  409: {
    name: '_conflict',
    description: 'It contradicts what is there, such as a unique value that is taken.',
    example: 'sku: is already taken',
  },
  410: {
    name: '_noLongerKept',
    description: 'The position is no longer kept: read the records anew, and go on from after=now.',
    example: 'after: this position is no longer kept: read your records anew, and go on from after=now',
  },
  412: {
    name: '_stale',
    description: 'If-Match names a version that is no longer current: read it again.',
    example: 'The record has changed since: read it again',
  },
  413: {
    name: '_tooLarge',
    description: 'The body is too large.',
    example: 'The body is larger than the 1048576 bytes that are allowed',
  },
  414: {
    name: '_uriTooLong',
    description: 'The address is too long.',
    example: 'The address is longer than 16384 characters: ask with fewer or shorter values at a time',
  },
  415: {
    name: '_mediaType',
    description: 'The body is not application/json.',
    example: "Content-Type must be application/json, not 'text/plain'",
  },
  429: {
    name: '_tooMany',
    description: 'Too many requests.',
    example: 'Too many requests: wait 3 seconds',
    headers: { 'Retry-After': '_retryAfter' },
  },
  500: {
    name: '_unexpected',
    description: 'An error of the server, with an id to quote.',
    example: "Something went wrong on our side: the request's id is 01890000-0000-7000-8000-000000000000",
  },
  501: {
    name: '_notSetUp',
    description: 'This server is not set up for it.',
    example: 'Mail is not set up: start the server with --mail',
  },
  503: {
    name: '_unavailable',
    description:
      'With Retry-After: nothing was done, send it again. Without: it is not known whether a write was done, so check, or send it again with the Idempotency-Key it had.',
    example: 'The server is shutting down',
    headers: { 'Retry-After': '_retryAfter' },
  },
  504: {
    name: '_timeout',
    description: 'The read took too long. The message says how to narrow it down.',
    example: 'The query took too long: filter by a field that is indexed',
  },
};

/** Errors that any request can get. */
const always = [400, 401, 403, 414, 429, 500, 503];

/** `statuses`: in addition to those that any request can get. */
export function refusalsOf(...statuses: readonly number[]): Record<string, JsonObject> {
  const all = [...new Set([...always, ...statuses])].sort((a, b) => a - b);
  return Object.fromEntries(
    all.map((status) => [String(status), { $ref: `#/components/responses/${refusals[status]?.name}` }]),
  );
}

/** The components that the document uses. */
export function refusalComponents(used: ReadonlySet<string>): JsonObject {
  const named = Object.values(refusals).filter(({ name }) => used.has(name));
  return Object.fromEntries(named.map((refusal) => [refusal.name, component(refusal)]));
}

function component({ description, example, headers = {} }: Refusal): JsonObject {
  const named = Object.entries(headers).map(([header, name]) => [
    header,
    { $ref: `#/components/headers/${name}` },
  ]);
  return {
    description,
    ...(named.length > 0 && { headers: Object.fromEntries(named) }),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/_error' },
        example: { ok: false, error: example },
      },
    },
  };
}

export const headerComponents: JsonObject = {
  _wwwAuthenticate: { description: 'Bearer', schema: { type: 'string' } },
  _retryAfter: {
    description: 'Seconds after which another try makes sense.',
    schema: { type: 'integer', minimum: 0 },
  },
  _etag: { description: 'The version of the record.', schema: { type: 'string' } },
  _idempotencyReplayed: {
    description: 'The answer is that of an earlier request with this key.',
    schema: { type: 'string', enum: ['true'] },
  },
};

/** Wraps a schema in the envelope of a success. */
export function success(
  description: string,
  result: JsonObject,
  headers: readonly string[] = [],
): JsonObject {
  const known: Readonly<Record<string, string>> = {
    ETag: '_etag',
    'Idempotency-Replayed': '_idempotencyReplayed',
  };
  return {
    description,
    ...(headers.length > 0 && {
      headers: Object.fromEntries(
        headers.map((name) => [name, { $ref: `#/components/headers/${known[name]}` }]),
      ),
    }),
    content: { 'application/json': { schema: envelope(result) } },
  };
}

function envelope(result: JsonObject): JsonObject {
  return {
    type: 'object',
    properties: { ok: { type: 'boolean', const: true }, result },
    required: ['ok', 'result'],
    additionalProperties: false,
  };
}

export const errorSchema: JsonObject = {
  type: 'object',
  properties: { ok: { type: 'boolean', const: false }, error: { type: 'string' } },
  required: ['ok', 'error'],
  additionalProperties: false,
};
