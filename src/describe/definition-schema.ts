import { levels, type Method, methods } from '../model/collection.ts';
import type { FieldTypeName, ReadConstraint } from '../model/field.ts';
import { fieldTypes } from '../model/field-types.ts';
import type { JsonObject } from '../model/json.ts';
import { linkKinds } from '../model/mail-settings.ts';
import { fieldNamePattern, idPattern } from '../model/names.ts';
import { methodKeys } from '../model/read-api.ts';
import { scalarType, scalarTypes } from '../model/scalar-types.ts';
import { defaultAuth } from '../store/project-record.ts';

/** The JSON Schema of definition files, with which editors complete and check them. */

const flag = { type: 'boolean' };
const count = { type: 'integer', minimum: 0 };
const text = { type: 'string' };
const instant = { type: 'string', description: 'A date and time with an offset, or a date alone.' };

/** The schemas of the keys of a field's definition. Bounds are values of the field's type. */
function keySchemas(type: FieldTypeName): Readonly<Record<string, JsonObject>> {
  const bound = type === 'datetime' ? instant : { type: 'number' };
  return {
    minLength: count,
    maxLength: count,
    pattern: { type: 'string', maxLength: 500 },
    options: { type: 'array', items: text, minItems: 1, uniqueItems: true },
    min: bound,
    max: bound,
    integer: flag,
    minItems: count,
    maxItems: count,
    uniqueItems: flag,
    to: { type: 'string', description: 'The id of the collection it points to.' },
    kind: { enum: ['single', 'multiple'], default: 'single' },
    onDelete: { enum: ['clear', 'restrict', 'cascade'], default: 'clear' },
  };
}

const common: Readonly<Record<string, JsonObject>> = {
  required: flag,
  unique: { ...flag, description: 'No two records have the same value.' },
  index: flag,
  label: text,
  description: text,
  renamedFrom: { type: 'string', description: 'The name it had: its values are carried over.' },
};

/** The schema of `default`; further rules are checked by the server. */
function defaultSchema(type: FieldTypeName): JsonObject | undefined {
  if (type === 'relation') return undefined;
  if (type === 'list') return { type: 'array' };
  if (type === 'datetime') return instant;
  return scalarType({ type, name: '' }).schema.answered({ type, name: '' });
}

type Constraints = Readonly<Record<string, ReadConstraint>>;

/** The keys of one type, as its reader accepts them. */
function typeSchema(
  type: FieldTypeName,
  constraints: Constraints,
  also: Readonly<Record<string, JsonObject>>,
) {
  const known = keySchemas(type);
  const own = Object.keys(constraints).filter((key) => key !== 'default');
  const properties = Object.fromEntries(own.map((key) => [key, known[key] ?? {}]));
  const required = type === 'list' ? ['type', 'of'] : type === 'relation' ? ['type', 'to'] : ['type'];
  return {
    type: 'object',
    properties: { type: { const: type }, ...properties, ...also },
    required,
    additionalProperties: false,
  };
}

function fieldSchemas(): JsonObject[] {
  const scalars = Object.entries(scalarTypes).map(([type, { constraints }]) => {
    return typeSchema(type as FieldTypeName, constraints, {});
  });
  return Object.entries(fieldTypes).map(([name, { constraints }]) => {
    const type = name as FieldTypeName;
    const preset = defaultSchema(type);
    return typeSchema(type, constraints, {
      ...(type === 'list' && { of: { oneOf: scalars } }),
      ...common,
      ...(preset && { default: preset }),
    });
  });
}

/** Fields of users: no relations, nothing unique, but optionally `write: 'server'`. */
function profileFieldSchemas(): JsonObject[] {
  return fieldSchemas().flatMap((schema) => {
    const { unique: _, ...properties } = schema.properties as JsonObject;
    if ((properties.type as JsonObject).const === 'relation') return [];
    return [{ ...schema, properties: { ...properties, write: { const: 'server' } } }];
  });
}

function methodSchema(method: Method): JsonObject {
  const known: Readonly<Record<string, JsonObject>> = {
    enabled: flag,
    access: { enum: ['inherit', ...levels], default: 'inherit' },
    fields: { type: 'array', items: text, description: 'The fields that distinct may be asked for.' },
  };
  const keys = methodKeys(method).map((key) => [key, known[key] ?? {}]);
  return { type: 'object', properties: Object.fromEntries(keys), additionalProperties: false };
}

/** All settings are optional: what is omitted stays as it is. */
function authSchema(): JsonObject {
  const known: Readonly<Record<string, JsonObject>> = {
    registration: { enum: ['open', 'closed'] },
    totp: { enum: ['optional', 'required'] },
    redirects: { type: 'array', items: text },
    providers: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: text, name: text, issuer: text, clientId: text, clientSecret: text },
        required: ['id', 'issuer', 'clientId'],
        additionalProperties: false,
      },
    },
    profile: {
      type: 'object',
      propertyNames: { pattern: fieldNamePattern.source },
      additionalProperties: { oneOf: profileFieldSchemas() },
    },
    onUserDelete: { enum: ['keep', 'delete'] },
    mail: mailSchema(),
    accessTokenMinutes: { type: 'integer', minimum: 1, maximum: 24 * 60 },
    refreshTokenDays: { type: 'integer', minimum: 1, maximum: 365 },
  };
  const settings = Object.keys(defaultAuth).map((name) => [name, known[name] ?? {}]);
  return { type: 'object', properties: Object.fromEntries(settings), additionalProperties: false };
}

function mailSchema(): JsonObject {
  const kinds = (of: JsonObject): JsonObject => ({
    type: 'object',
    properties: Object.fromEntries(linkKinds.map((kind) => [kind, of])),
    additionalProperties: false,
  });
  const template = {
    type: 'object',
    properties: { subject: text, text: text },
    additionalProperties: false,
  };
  return {
    type: 'object',
    properties: { senderName: text, links: kinds(text), templates: kinds(template) },
    additionalProperties: false,
  };
}

export function definitionSchema(): JsonObject {
  const id = { type: 'string', pattern: idPattern.source };
  const index = {
    type: 'object',
    properties: { fields: { type: 'array', items: text, minItems: 1, uniqueItems: true }, unique: flag },
    required: ['fields'],
    additionalProperties: false,
  };
  const collection = {
    type: 'object',
    properties: {
      id,
      name: text,
      fields: {
        type: 'object',
        propertyNames: { pattern: fieldNamePattern.source },
        additionalProperties: { oneOf: fieldSchemas() },
      },
      indexes: { type: 'array', items: index },
      api: {
        type: 'object',
        properties: {
          access: { enum: levels, default: 'user' },
          methods: {
            type: 'object',
            properties: Object.fromEntries(methods.map((method) => [method, methodSchema(method)])),
            additionalProperties: false,
          },
        },
        additionalProperties: false,
      },
    },
    required: ['id'],
    additionalProperties: false,
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A project of Vitrine, as vitrine apply takes it',
    type: 'object',
    properties: {
      $schema: text,
      id,
      name: text,
      auth: authSchema(),
      changes: {
        type: 'object',
        properties: { days: { type: 'integer', minimum: 1, maximum: 365 } },
        required: ['days'],
        additionalProperties: false,
      },
      collections: { type: 'array', items: collection },
    },
    required: ['id', 'collections'],
    additionalProperties: false,
  };
}
