import type { Method } from '../model/collection.ts';
import { idSchema } from '../model/fields/relation.ts';
import type { JsonObject } from '../model/json.ts';
import type { Usable } from './audience.ts';
import { schemaRef } from './collection-schemas.ts';

/** Schemas of bodies and results other than records and pages. */

export const deleted: JsonObject = {
  type: 'object',
  properties: { _id: { type: 'string' } },
  required: ['_id'],
  additionalProperties: false,
};

export function file(id: string): JsonObject {
  const bytes = { schema: {} };
  return {
    description: 'The file, streamed.',
    headers: {
      'Content-Disposition': {
        description: 'A download, named after the collection.',
        schema: { type: 'string' },
      },
    },
    content: {
      'text/csv': { schema: { type: 'string' } },
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': bytes,
      'application/json': { schema: { type: 'array', items: schemaRef(`${id}.part`) } },
      'application/x-ndjson': { schema: { type: 'string' } },
    },
  };
}

export function batchBody({ definition, methods }: Usable, most: number): JsonObject {
  const { id } = definition;
  const parts: [Method, JsonObject][] = [
    ['create', schemaRef(`${id}.batchCreate`)],
    ['update', schemaRef(`${id}.batchUpdate`)],
    ['delete', idSchema],
  ];
  const usable = parts.filter(([method]) => methods.has(method));
  const properties = usable.map(([method, items]) => [method, { type: 'array', items, maxItems: most }]);
  return {
    type: 'object',
    description: `At most ${most} operations in all.`,
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

/** Callers who may only delete get no records, and must not learn their fields. */
export function batchResult({ definition, methods }: Usable): JsonObject {
  const records = (method: Method): JsonObject => ({
    type: 'array',
    ...(methods.has(method) ? { items: schemaRef(definition.id) } : { maxItems: 0 }),
  });
  return {
    type: 'object',
    properties: {
      created: records('create'),
      updated: records('update'),
      deleted: { type: 'array', items: { type: 'string' } },
    },
    required: ['created', 'updated', 'deleted'],
    additionalProperties: false,
  };
}
