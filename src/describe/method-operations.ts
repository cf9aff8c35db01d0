import type { Method } from '../model/collection.ts';
import type { JsonObject } from '../model/json.ts';
import type { Usable } from './audience.ts';
import { changesResponses, followParameters } from './change-operations.ts';
import { schemaRef } from './collection-schemas.ts';
import { batchBody, batchResult, deleted, file } from './record-contents.ts';
import { refusalsOf, success } from './responses.ts';
import { parameterRef } from './shared-parameters.ts';

export type Verb = 'get' | 'post' | 'patch' | 'delete';

/** One method in OpenAPI. */
export interface MethodOperation {
  readonly verb: Verb;
  /** The path below the collection. */
  readonly path: string;
  readonly summary: string;
  readonly parameters: JsonObject[];
  readonly requestBody?: JsonObject;
  readonly responses: JsonObject;
}

/** Common input for describing the methods of a collection. */
export interface DescribedCollection {
  readonly usable: Usable;
  readonly id: string;
  readonly narrowing: readonly JsonObject[];
  readonly filters: readonly JsonObject[];
  readonly distinctFilters: readonly JsonObject[];
  readonly include: readonly JsonObject[];
  readonly binds: boolean;
  readonly mostOperations: number;
}

const idParameter = parameterRef('_id');
const idempotencyKey = parameterRef('_idempotencyKey');
const ifMatch = parameterRef('_ifMatch');

const body = (schema: JsonObject): JsonObject => ({
  required: true,
  content: { 'application/json': { schema } },
});

export const methodOperations: Readonly<Record<Method, (of: DescribedCollection) => MethodOperation>> = {
  viewAll: ({ id, narrowing, include, filters }) => ({
    verb: 'get',
    path: '',
    summary: `A page of ${id}`,
    parameters: [...['_page', '_perPage', '_after'].map(parameterRef), ...narrowing, ...include, ...filters],
    responses: {
      200: success('A page; one of a walk where after is given.', {
        anyOf: [schemaRef(`${id}.page`), schemaRef(`${id}.cursorPage`)],
      }),
      ...refusalsOf(504),
    },
  }),
  create: ({ id }) => ({
    verb: 'post',
    path: '',
    summary: `Makes a record of ${id}`,
    parameters: [idempotencyKey],
    requestBody: body(schemaRef(`${id}.create`)),
    responses: {
      201: success('The record that was made.', schemaRef(id), ['ETag', 'Idempotency-Replayed']),
      ...refusalsOf(409, 413, 415),
    },
  }),
  view: ({ id }) => ({
    verb: 'get',
    path: '/{id}',
    summary: `One record of ${id}`,
    parameters: [idParameter, parameterRef('_ifNoneMatch')],
    responses: {
      200: success('The record.', schemaRef(id), ['ETag']),
      304: {
        description: 'If-None-Match names the version that is current.',
        headers: { ETag: { $ref: '#/components/headers/_etag' } },
      },
      ...refusalsOf(404),
    },
  }),
  update: ({ id }) => ({
    verb: 'patch',
    path: '/{id}',
    summary: `Changes some fields of a record of ${id}`,
    parameters: [idParameter, ifMatch, idempotencyKey],
    requestBody: body(schemaRef(`${id}.update`)),
    responses: {
      200: success('The record as it is now.', schemaRef(id), ['ETag', 'Idempotency-Replayed']),
      ...refusalsOf(404, 409, 412, 413, 415),
    },
  }),
  delete: ({ id, binds }) => ({
    verb: 'delete',
    path: '/{id}',
    summary: `Removes a record of ${id}`,
    parameters: [idParameter, ifMatch, idempotencyKey, ...(binds ? [parameterRef('_dryRun')] : [])],
    responses: {
      200: binds
        ? success(
            'Its _id; with dryRun, what its removal would touch.',
            { anyOf: [deleted, schemaRef('_deletion')] },
            ['Idempotency-Replayed'],
          )
        : success('Its _id.', deleted, ['Idempotency-Replayed']),
      ...refusalsOf(404, 409, 412),
    },
  }),
  distinct: ({ id, usable, distinctFilters }) => ({
    verb: 'get',
    path: '/distinct',
    summary: `The different values of fields of ${id}`,
    parameters: [
      parameterRef(`${id}.distinctFields`),
      ...(usable.distinctByAll ? [parameterRef('_search')] : []),
      ...distinctFilters,
    ],
    responses: {
      200: success('For each field its values, each once, in order.', schemaRef(`${id}.distinct`)),
      ...refusalsOf(504),
    },
  }),
  export: ({ id, usable, narrowing, filters }) => ({
    verb: 'get',
    path: '/export',
    summary: `All matching records of ${id} as a file`,
    parameters: [
      parameterRef('_format'),
      ...(usable.definition.fields.has('bom') ? [] : [parameterRef('_bom')]),
      ...narrowing,
      ...filters,
    ],
    responses: { 200: file(id), ...refusalsOf(504) },
  }),
  batch: ({ id, usable, mostOperations }) => ({
    verb: 'post',
    path: '/batch',
    summary: `Makes, changes and removes records of ${id}, all or nothing`,
    parameters: [idempotencyKey],
    requestBody: body(batchBody(usable, mostOperations)),
    responses: {
      200: success('The records, in the order sent.', batchResult(usable), ['Idempotency-Replayed']),
      ...refusalsOf(404, 409, 413, 415),
    },
  }),
  changes: ({ id }) => ({
    verb: 'get',
    path: '/_changes',
    summary: `What changed of ${id} since`,
    parameters: [...followParameters, parameterRef(`${id}.fields`)],
    responses: changesResponses(schemaRef(`${id}.part`)),
  }),
};
