import { atOnce, type Steps } from '../awaitable.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { ProjectRecord } from '../store/project-record.ts';
import type { Audience } from './audience.ts';
import { accountSchemas, authOperations } from './auth-operations.ts';
import { changeParameters, changesPerPage, describeProjectChanges } from './change-operations.ts';
import { collectionSchemas, referenceSchema } from './collection-schemas.ts';
import { profileSchemas } from './profile-schemas.ts';
import { describeProjectBatch } from './project-batch.ts';
import { type Described, describeCollection, security } from './record-operations.ts';
import { errorSchema, headerComponents, refusalComponents } from './responses.ts';
import { exportParameters, sharedParameters } from './shared-parameters.ts';
import { patternSchemas } from './shared-patterns.ts';

export interface Subject {
  readonly project: Pick<ProjectRecord, 'id' | 'name' | 'auth'>;
  readonly audience: Audience;
  readonly limits: { readonly perPage: number; readonly batchOperations: number };
}

/** The API of a project for one audience, as an OpenAPI 3.1 document. */
export function openapi(subject: Subject): JsonObject {
  return atOnce(openapiSteps(subject));
}

export function* openapiSteps({ project, audience, limits }: Subject): Steps<JsonObject> {
  const collections = [...audience.collections.values()];
  const batch = describeProjectBatch(audience, limits.batchOperations);
  const changes = describeProjectChanges(audience, security(true));
  const operations: Described[] = [];
  const schemas: Record<string, JsonObject> = {
    ...serviceSchemas,
    ...profileSchemas(project.auth),
    ...batch?.schemas,
  };
  const parameters: Record<string, JsonObject> = {
    ...sharedParameters(limits.perPage),
    ...exportParameters,
    ...changeParameters,
    ...changes?.parameters,
    _changesPerPage: changesPerPage(limits.perPage),
  };
  for (const one of collections) {
    const described = describeCollection(audience, one, limits.batchOperations);
    operations.push(...described.operations);
    Object.assign(parameters, described.parameters);
    Object.assign(schemas, collectionSchemas(audience, one));
    yield;
  }
  if (batch) operations.push(batch.operation);
  if (changes) operations.push(changes.described);
  operations.push(...authOperations(project.auth));
  const paths = pathsOf(operations);
  const used = yield* usedComponents(paths, { schemas, parameters });
  const keep = (kind: string, all: JsonObject) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${kind}/${name}`)));
  const refusals = new Set([...used].flatMap((name) => name.match(/^responses\/(.*)/)?.[1] ?? []));
  return {
    openapi: '3.1.1',
    info: { title: project.name, version: '1', description: introduction },
    // Relative to the document, so that it works behind a path prefix.
    servers: [{ url: `../${project.id}` }],
    tags: [
      ...collections.map(({ definition: { id, name } }) => ({ name: id, description: name })),
      ...(batch ? [{ name: '_batch', description: 'Several collections at once' }] : []),
      ...(changes ? [{ name: '_changes', description: 'What changed since' }] : []),
      { name: '_auth', description: 'Sign-up, sign-in and workspaces' },
    ],
    paths,
    components: {
      schemas: keep('schemas', schemas),
      parameters: keep('parameters', parameters),
      responses: refusalComponents(refusals),
      headers: headerComponents,
      securitySchemes: {
        user: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: "A user's accessToken." },
        server: { type: 'http', scheme: 'bearer', description: 'A server key, vk_…' },
      },
    },
  };
}

const introduction = `Every answer is {"ok": true, "result": {…}} or {"ok": false, "error": "…"}. A parameter or field that is not described here is refused with 400.

Filters: one parameter for each field and operator. price=10, price!=10, price>=10 and price<=10 are the parameters price, price!=, price>= and price<=. Above and below are written price>10 and price<10, for which OpenAPI has no parameter. Several filters must all hold. An empty value finds records in which the field is unset (brand=) or set (brand!=).`;

const counts: JsonObject = { type: 'object', additionalProperties: { type: 'integer' } };
const deletionSchema: JsonObject = {
  type: 'object',
  description:
    'How many records of each collection a removal would delete, clear a relation of, or be refused by.',
  properties: { deletes: counts, clears: counts, restricts: counts },
  required: ['deletes', 'clears', 'restricts'],
  additionalProperties: false,
};

const serviceSchemas: Readonly<Record<string, JsonObject>> = {
  _error: errorSchema,
  _reference: referenceSchema,
  _deletion: deletionSchema,
  ...patternSchemas,
  ...accountSchemas,
};

function pathsOf(operations: readonly Described[]): Record<string, JsonObject> {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const { path, verb, operation } of operations) {
    const here = paths[path] ?? {};
    here[verb] = operation;
    paths[path] = here;
  }
  return paths;
}

/** The components that the paths use, directly or not: `schemas/products`, `parameters/_page`. */
function* usedComponents(
  paths: JsonObject,
  components: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>,
): Steps<ReadonlySet<string>> {
  const used = new Set<string>(['schemas/_error']);
  const waiting: JsonObject[] = Object.values(paths).filter(isJsonObject);
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    for (const name of referencesIn(part)) {
      if (used.has(name)) continue;
      used.add(name);
      const [kind = '', key = ''] = name.split('/');
      const found = components[kind]?.[key];
      if (found) waiting.push(found);
    }
    yield;
  }
  return used;
}

/** `schemas/products` for `#/components/schemas/products`. */
function referencesIn(value: Json, found: string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return found;
  const { $ref } = value as JsonObject;
  if (typeof $ref === 'string') found.push($ref.slice('#/components/'.length));
  for (const part of Object.values(value)) referencesIn(part, found);
  return found;
}
