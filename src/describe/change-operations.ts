import { instantPattern } from '../model/instant.ts';
import type { JsonObject } from '../model/json.ts';
import type { Audience } from './audience.ts';
import { refusalsOf, success } from './responses.ts';
import { parameterRef } from './shared-parameters.ts';

/** The change feed in OpenAPI. */

const text = { type: 'string' };

export const changeParameters: Readonly<Record<string, JsonObject>> = {
  _position: {
    name: 'after',
    in: 'query',
    description:
      'Empty: from the oldest change that is kept; now: from now on; else the next of an answer before.',
    allowEmptyValue: true,
    schema: text,
  },
  _wait: {
    name: 'wait',
    in: 'query',
    description: 'Seconds to wait where there is no change yet.',
    schema: { type: 'integer', minimum: 0, maximum: 60, default: 0 },
  },
  _ticket: {
    name: 'ticket',
    in: 'query',
    description: "In place of a header, which EventSource can't send: the ticket of POST /_auth/ticket.",
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
  },
  _lastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The id of the last event, which wins over after.',
    schema: text,
  },
};

/** The parameters of both paths. */
export const followParameters: readonly JsonObject[] = [
  '_position',
  '_changesPerPage',
  '_wait',
  '_ticket',
  '_lastEventId',
].map(parameterRef);

export const changesPerPage = (most: number): JsonObject => ({
  name: 'perPage',
  in: 'query',
  description: 'Changes per page.',
  schema: { type: 'integer', minimum: 1, maximum: most, default: Math.min(100, most) },
});

/** `record`: the schema of a change of a record. */
export function changesResponses(record: JsonObject): JsonObject {
  const page = {
    type: 'object',
    properties: {
      next: text,
      upToDate: { type: 'boolean' },
      changes: { type: 'array', items: changeSchema(record) },
    },
    required: ['next', 'upToDate', 'changes'],
    additionalProperties: false,
  };
  const answer = success('A page; with Accept: text/event-stream, a stream of such changes.', page) as {
    content: JsonObject;
  };
  return {
    200: { ...answer, content: { ...answer.content, 'text/event-stream': { schema: text } } },
    ...refusalsOf(404, 410),
  };
}

function changeSchema(record: JsonObject): JsonObject {
  const properties = {
    position: text,
    kind: { type: 'string', enum: ['create', 'update', 'delete', 'refetch'] },
    collection: text,
    _id: { type: ['string', 'null'] },
    at: { type: 'string', pattern: instantPattern },
    record: { anyOf: [record, { type: 'null' }] },
  };
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** GET /_changes, for all collections that the caller may follow. */
export function describeProjectChanges({ collections }: Audience, security: JsonObject[]) {
  const followed = [...collections.values()].filter(({ methods }) => methods.has('changes'));
  if (followed.length === 0) return undefined;
  const names = {
    name: 'collections',
    in: 'query',
    description: 'Only these, separated by commas.',
    style: 'form',
    explode: false,
    schema: {
      type: 'array',
      items: { type: 'string', enum: followed.map(({ definition }) => definition.id) },
      minItems: 1,
    },
  };
  const operation: JsonObject = {
    operationId: '_changes',
    summary: 'What changed since, over several collections',
    tags: ['_changes'],
    security,
    parameters: [parameterRef('_collections'), ...followParameters],
    responses: changesResponses({ type: 'object' }),
  };
  const described = { verb: 'get' as const, path: '/_changes', operation };
  return { described, parameters: { _collections: names } };
}
