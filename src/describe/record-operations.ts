import { type Method, methodLevel } from '../model/collection.ts';
import type { JsonObject } from '../model/json.ts';
import { type Audience, includePaths, type Usable } from './audience.ts';
import { changesResponses, followParameters } from './change-operations.ts';
import { mostPaths, schemaRef } from './collection-schemas.ts';
import {
  distinctParameter,
  fieldsParameter,
  filterParameters,
  includeParameter,
  sortParameter,
} from './parameters.ts';
import { batchBody, batchResult, deleted, file } from './record-contents.ts';
import { refusalsOf, success } from './responses.ts';

/** The operations on records of one collection, as OpenAPI has them. */

export interface Described {
  readonly verb: 'get' | 'post' | 'patch' | 'delete';
  /** Behind the project. */
  readonly path: string;
  readonly operation: JsonObject;
}

export interface CollectionDescription {
  readonly operations: readonly Described[];
  /** Components of this collection alone. */
  readonly parameters: Readonly<Record<string, JsonObject>>;
}

const parameterRef = (name: string): JsonObject => ({ $ref: `#/components/parameters/${name}` });
const json = (schema: JsonObject): JsonObject => ({ 'application/json': { schema } });
const body = (schema: JsonObject): JsonObject => ({ required: true, content: json(schema) });

export function describeCollection(
  audience: Audience,
  usable: Usable,
  mostOperations: number,
): CollectionDescription {
  const { id } = usable.definition;
  const all = filterParameters(usable, usable.seesBinding || usable.distinctSeesBinding);
  const without = (binding: boolean) =>
    all.filter(({ name }) => binding || !/^_(?:owner|workspace)$/.test(name));
  const filters = without(usable.seesBinding);
  const distinctFields = new Set(usable.distinctFields);
  const ofDistinct = without(usable.distinctSeesBinding).filter(({ name }) => {
    return usable.distinctByAll || distinctFields.has(name);
  });
  const paths = includePaths(audience, usable, mostPaths + 1);
  const own = {
    [`${id}.sort`]: sortParameter(usable),
    [`${id}.fields`]: fieldsParameter(usable),
    ...(paths.size > 0 && {
      [`${id}.include`]: includeParameter([...paths.keys()].slice(0, mostPaths), paths.size <= mostPaths),
    }),
    [`${id}.distinctFields`]: distinctParameter(usable),
    ...Object.fromEntries(all.map(({ key, parameter }) => [key, parameter])),
  };
  const make = operationsOf(usable, {
    narrowing: ['_search', `${id}.sort`, `${id}.fields`].map(parameterRef),
    filters: filters.map(({ key }) => parameterRef(key)),
    distinctFilters: ofDistinct.map(({ key }) => parameterRef(key)),
    include: paths.size > 0 ? [parameterRef(`${id}.include`)] : [],
    binds: audience.binds,
    mostOperations,
  });
  const operations = [...usable.methods].flatMap((method) => make[method] ?? []);
  return { operations, parameters: own };
}

interface Parts {
  readonly narrowing: readonly JsonObject[];
  readonly filters: readonly JsonObject[];
  readonly distinctFilters: readonly JsonObject[];
  readonly include: readonly JsonObject[];
  readonly binds: boolean;
  readonly mostOperations: number;
}

function operationsOf(usable: Usable, parts: Parts): Partial<Record<Method, Described>> {
  const { definition } = usable;
  const { id } = definition;
  const record = schemaRef(id);
  const [idParameter, key, ifMatch] = ['_id', '_idempotencyKey', '_ifMatch'].map(parameterRef) as [
    JsonObject,
    JsonObject,
    JsonObject,
  ];
  const operation = (method: Method, summary: string, rest: JsonObject): JsonObject => ({
    operationId: `${id}.${method}`,
    summary,
    tags: [id],
    security: securityOf(usable, method),
    ...rest,
  });
  return {
    viewAll: {
      verb: 'get',
      path: `/${id}`,
      operation: operation('viewAll', `A page of ${id}`, {
        parameters: [
          ...['_page', '_perPage', '_after'].map(parameterRef),
          ...parts.narrowing,
          ...parts.include,
          ...parts.filters,
        ],
        responses: {
          200: success('A page; one of a walk where after is given.', {
            anyOf: [schemaRef(`${id}.page`), schemaRef(`${id}.cursorPage`)],
          }),
          ...refusalsOf(504),
        },
      }),
    },
    create: {
      verb: 'post',
      path: `/${id}`,
      operation: operation('create', `Makes a record of ${id}`, {
        parameters: [key],
        requestBody: body(schemaRef(`${id}.create`)),
        responses: {
          201: success('The record that was made.', record, ['ETag', 'Idempotency-Replayed']),
          ...refusalsOf(409, 413, 415),
        },
      }),
    },
    view: {
      verb: 'get',
      path: `/${id}/{id}`,
      operation: operation('view', `One record of ${id}`, {
        parameters: [idParameter, parameterRef('_ifNoneMatch')],
        responses: {
          200: success('The record.', record, ['ETag']),
          304: {
            description: 'If-None-Match names the version that is current.',
            headers: { ETag: { $ref: '#/components/headers/_etag' } },
          },
          ...refusalsOf(404),
        },
      }),
    },
    update: {
      verb: 'patch',
      path: `/${id}/{id}`,
      operation: operation('update', `Changes some fields of a record of ${id}`, {
        parameters: [idParameter, ifMatch, key],
        requestBody: body(schemaRef(`${id}.update`)),
        responses: {
          200: success('The record as it is now.', record, ['ETag', 'Idempotency-Replayed']),
          ...refusalsOf(404, 409, 412, 413, 415),
        },
      }),
    },
    delete: {
      verb: 'delete',
      path: `/${id}/{id}`,
      operation: operation('delete', `Removes a record of ${id}`, {
        parameters: [idParameter, ifMatch, key, ...(parts.binds ? [parameterRef('_dryRun')] : [])],
        responses: {
          200: parts.binds
            ? success('Its _id; with dryRun, what its removal would touch.', {
                anyOf: [deleted, schemaRef('_deletion')],
              })
            : success('Its _id.', deleted, ['Idempotency-Replayed']),
          ...refusalsOf(404, 409, 412),
        },
      }),
    },
    distinct: {
      verb: 'get',
      path: `/${id}/distinct`,
      operation: operation('distinct', `The different values of fields of ${id}`, {
        parameters: [
          parameterRef(`${id}.distinctFields`),
          ...(usable.distinctByAll ? [parameterRef('_search')] : []),
          ...parts.distinctFilters,
        ],
        responses: {
          200: success('For each field its values, each once, in order.', schemaRef(`${id}.distinct`)),
          ...refusalsOf(504),
        },
      }),
    },
    export: {
      verb: 'get',
      path: `/${id}/export`,
      operation: operation('export', `All matching records of ${id} as a file`, {
        parameters: [
          parameterRef('_format'),
          ...(definition.fields.has('bom') ? [] : [parameterRef('_bom')]),
          ...parts.narrowing,
          ...parts.filters,
        ],
        responses: { 200: file(id), ...refusalsOf(504) },
      }),
    },
    batch: {
      verb: 'post',
      path: `/${id}/batch`,
      operation: operation('batch', `Makes, changes and removes records of ${id}, all or nothing`, {
        parameters: [key],
        requestBody: body(batchBody(usable, parts.mostOperations)),
        responses: {
          200: success('The records, in the order sent.', batchResult(id), ['Idempotency-Replayed']),
          ...refusalsOf(404, 409, 413, 415),
        },
      }),
    },
    changes: {
      verb: 'get',
      path: `/${id}/_changes`,
      operation: operation('changes', `What changed of ${id} since`, {
        parameters: [...followParameters, parameterRef(`${id}.fields`)],
        responses: changesResponses(schemaRef(`${id}.part`)),
      }),
    },
  };
}

/** A batch has no level: each of its operations has one. */
function securityOf({ definition, methods }: Usable, method: Method): JsonObject[] {
  const own: Method[] = method === 'batch' ? ['create', 'update', 'delete'] : [method];
  const open = own.some((one) => methods.has(one) && methodLevel(definition, one) === 'public');
  return security(open);
}

export function security(open: boolean): JsonObject[] {
  return [...(open ? [{}] : []), { user: [] }, { server: [] }];
}
