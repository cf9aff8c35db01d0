import { idSchema } from '../model/fields/relation.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Audience, Usable } from './audience.ts';
import { schemaRef } from './collection-schemas.ts';
import { type Described, security } from './record-operations.ts';
import { refusalsOf, success } from './responses.ts';
import { parameterRef } from './shared-parameters.ts';

interface ProjectBatch {
  readonly operation: Described;
  readonly schemas: Readonly<Record<string, JsonObject>>;
}

/** POST /_batch, for all collections whose records the caller may write in a batch. */
export function describeProjectBatch(audience: Audience, most: number): ProjectBatch | undefined {
  const usable = [...audience.collections.values()].filter(({ methods }) => methods.has('batch'));
  if (usable.length === 0) return undefined;
  const schemas = Object.fromEntries(usable.flatMap(operationSchemas));
  const operation = {
    operationId: '_batch',
    summary: 'Makes, changes and removes records of several collections, all or nothing',
    tags: ['_batch'],
    security: security(true),
    parameters: [parameterRef('_idempotencyKey')],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              operations: {
                type: 'array',
                items: { anyOf: Object.keys(schemas).map(schemaRef) },
                maxItems: most,
              },
            },
            required: ['operations'],
            additionalProperties: false,
          },
        },
      },
    },
    responses: {
      200: success('A result for each operation, in the order sent.', result(usable), [
        'Idempotency-Replayed',
      ]),
      ...refusalsOf(404, 409, 413, 415),
    },
  };
  return { operation: { verb: 'post', path: '/_batch', operation }, schemas };
}

function operationSchemas({ definition, methods }: Usable): [string, JsonObject][] {
  const { id } = definition;
  const operation = (method: string, rest: Readonly<Record<string, Json>>): [string, JsonObject] => [
    `${id}.${method}Operation`,
    {
      type: 'object',
      properties: {
        method: { type: 'string', const: method },
        collection: { type: 'string', const: id },
        ...rest,
      },
      required: ['method', 'collection', ...Object.keys(rest)],
      additionalProperties: false,
    },
  ];
  return [
    ...(methods.has('create') ? [operation('create', { data: schemaRef(`${id}.batchCreate`) })] : []),
    ...(methods.has('update')
      ? [operation('update', { id: idSchema, data: schemaRef(`${id}.batchChange`) })]
      : []),
    ...(methods.has('delete') ? [operation('delete', { id: idSchema })] : []),
  ];
}

function result(usable: readonly Usable[]): JsonObject {
  const records = usable.filter(({ methods }) => methods.has('create') || methods.has('update'));
  const deleted = usable.some(({ methods }) => methods.has('delete')) ? [schemaRef('_id')] : [];
  const one = [...records.map(({ definition }) => schemaRef(definition.id)), ...deleted];
  return {
    type: 'object',
    properties: { results: { type: 'array', items: { anyOf: one } } },
    required: ['results'],
    additionalProperties: false,
  };
}
