import type { Field } from '../model/field.ts';
import { fieldType } from '../model/field-types.ts';
import { idSchema } from '../model/fields/relation.ts';
import type { JsonObject } from '../model/json.ts';
import { type Audience, includePaths, type Usable } from './audience.ts';
import { schemaTexts } from './field-texts.ts';
import { createSchema, recordProperties, updateSchema } from './payload-schema.ts';
import { withSharedPatterns } from './shared-patterns.ts';

/** Most paths of `include` that are listed; a project with many relations has thousands. */
export const mostPaths = 100;

export const schemaRef = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** A reference to a record created earlier in the same batch, as the value of a relation. */
export const referenceSchema: JsonObject = {
  type: 'object',
  description: 'The record that an earlier creation of the batch makes, such as {"$ref": "create[0]"}.',
  // Not under `properties`, where some tools would take the name $ref for a reference.
  propertyNames: { enum: ['$ref'] },
  minProperties: 1,
  additionalProperties: { type: 'string', pattern: '^(?:create|operations)\\[[0-9]+\\]$' },
};

/** All schemas of a collection by name; the document contains those that it uses. */
export function collectionSchemas(audience: Audience, usable: Usable): Record<string, JsonObject> {
  const { definition } = usable;
  const { id } = definition;
  const about = (field: Field) => schemaTexts(field, audience);
  const options = { binding: audience.binds, about };
  const inBatch = { ...options, reference: schemaRef('_reference') };
  const properties = recordProperties(definition, about);
  const update = withSharedPatterns(updateSchema(definition, inBatch));
  return {
    [id]: {
      type: 'object',
      ...(definition.name !== id && { description: definition.name }),
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    },
    [`${id}.part`]: {
      type: 'object',
      description:
        'A record of a page: whole, or, where the parameter fields is given, _id and these fields.',
      properties: { ...properties, ...(usable.seesBinding && bindingProperties) },
      required: ['_id'],
      additionalProperties: false,
      'x-vitrine-narrowed-by': 'fields',
    },
    [`${id}.create`]: withSharedPatterns(createSchema(definition, options)),
    [`${id}.update`]: withSharedPatterns(updateSchema(definition, options)),
    [`${id}.page`]: pageSchema(audience, usable, {
      page: { type: 'integer', minimum: 1 },
      perPage: { type: 'integer', minimum: 1 },
      total: { type: 'integer', minimum: 0 },
      totalPages: { type: 'integer', minimum: 0 },
    }),
    [`${id}.cursorPage`]: pageSchema(audience, usable, {
      perPage: { type: 'integer', minimum: 1 },
      next: { type: ['string', 'null'], description: 'The next after; null at the end.' },
    }),
    [`${id}.distinct`]: distinctSchema(usable),
    [`${id}.batchCreate`]: withSharedPatterns(createSchema(definition, inBatch)),
    [`${id}.batchChange`]: update,
    [`${id}.batchUpdate`]: {
      ...update,
      properties: { _id: idSchema, ...(update.properties as JsonObject) },
      required: ['_id'],
    },
  };
}

const nullableId = { type: ['string', 'null'], format: 'uuid' };
const bindingProperties = { _owner: nullableId, _workspace: nullableId };

function pageSchema(audience: Audience, usable: Usable, head: JsonObject): JsonObject {
  const { id } = usable.definition;
  const paths = includePaths(audience, usable, mostPaths);
  const included = [...paths].map(([path, to]) => {
    return [path, { type: 'array', items: schemaRef(to.definition.id) }];
  });
  const other = { type: 'object', properties: { _id: idSchema }, required: ['_id'] };
  return {
    type: 'object',
    properties: {
      ...head,
      found: { type: 'array', items: schemaRef(`${id}.part`) },
      _include: {
        type: 'object',
        description: 'There where the parameter include is given: the related records, each once.',
        properties: Object.fromEntries(included),
        additionalProperties: { type: 'array', items: other },
      },
    },
    required: [...Object.keys(head), 'found'],
    additionalProperties: false,
  };
}

/** For lists and multiple relations, distinct returns their elements. */
function distinctSchema({ definition, distinctFields }: Usable): JsonObject {
  const properties = distinctFields.flatMap((name) => {
    const field = definition.fields.get(name);
    if (!field) return [];
    const type = fieldType(field);
    const schema = type.schema.answered(field);
    return [[name, type.plural(field) ? schema : { type: 'array', items: schema }]];
  });
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
}
