import type { Collection } from '../model/collection.ts';
import type { Field } from '../model/field.ts';
import { fieldType } from '../model/field-types.ts';
import { idSchema } from '../model/fields/relation.ts';
import type { Json, JsonObject } from '../model/json.ts';

/** The JSON Schemas of records and of bodies to create and update them: the rules of payload.ts as data. */

export interface SchemaOptions {
  /** Whether the caller may write `_owner` and `_workspace`. */
  readonly binding: boolean;
  /** The schema of a reference to a record created in the same batch, if relations may contain one. */
  readonly reference?: JsonObject;
  /** Title and description of a field. */
  about(field: Field): JsonObject;
}

const nullableId = { type: ['string', 'null'], format: 'uuid' };

export function createSchema(collection: Collection, options: SchemaOptions): JsonObject {
  const fields = [...collection.fields.values()];
  const required = fields.filter((field) => field.required && field.default === undefined);
  const properties = fields.map((field) => {
    const preset = field.default === undefined ? {} : { default: field.default };
    return [field.name, { ...sentSchema(field, options), ...preset }] as const;
  });
  return {
    type: 'object',
    properties: { ...Object.fromEntries(properties), ...bindingOf(options) },
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
    additionalProperties: false,
  };
}

/** Only the fields to change; `null` unsets. */
export function updateSchema(collection: Collection, options: SchemaOptions): JsonObject {
  const properties = [...collection.fields.values()].map((field) => [field.name, sentSchema(field, options)]);
  return {
    type: 'object',
    properties: { ...Object.fromEntries(properties), ...bindingOf(options) },
    additionalProperties: false,
  };
}

export function recordProperties(
  collection: Collection,
  about: SchemaOptions['about'],
): Record<string, JsonObject> {
  const instant = { type: 'string', format: 'date-time' };
  const fields = [...collection.fields.values()].map((field) => [
    field.name,
    { ...answeredSchema(field), ...about(field) },
  ]);
  return { _id: idSchema, _createdAt: instant, _updatedAt: instant, ...Object.fromEntries(fields) };
}

function answeredSchema(field: Field): JsonObject {
  const type = fieldType(field);
  const schema = type.schema.answered(field);
  return field.required || type.plural(field) ? schema : nullable(schema);
}

/** `null` is allowed unless the field is required. */
function sentSchema(field: Field, { reference, about }: SchemaOptions): JsonObject {
  const schema = withReference(fieldType(field).schema.sent(field), field, reference);
  return { ...(field.required ? filled(schema) : nullable(schema)), ...about(field) };
}

/** An empty text and an empty list do not satisfy `required`. */
function filled(schema: JsonObject): JsonObject {
  const { minLength = 0, minItems = 0 } = schema;
  if (schema.type === 'array') return { ...schema, minItems: Math.max(1, Number(minItems)) };
  if (schema.type !== 'string') return schema;
  return { ...schema, minLength: Math.max(1, Number(minLength)) };
}

function nullable({ type, anyOf, enum: options, ...rest }: JsonObject): JsonObject {
  if (Array.isArray(anyOf)) return { ...rest, anyOf: [...anyOf, { type: 'null' }] };
  return {
    type: [type as string, 'null'],
    ...(Array.isArray(options) && { enum: [...options, null] }),
    ...rest,
  };
}

function withReference(schema: JsonObject, field: Field, reference: JsonObject | undefined): JsonObject {
  if (!reference || field.type !== 'relation') return schema;
  if (field.kind === 'single') return { anyOf: [schema, reference] };
  return { ...schema, items: { anyOf: [schema.items as Json, reference] } };
}

function bindingOf({ binding }: SchemaOptions): JsonObject {
  return binding ? { _owner: nullableId, _workspace: nullableId } : {};
}
