import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { administrator } from '../src/access/caller.ts';
import type { Catalog } from '../src/catalog/catalog.ts';
import type { Project } from '../src/catalog/project.ts';
import { audienceOf } from '../src/describe/audience.ts';
import { openapi } from '../src/describe/openapi.ts';
import type { Json, JsonObject } from '../src/model/json.ts';
import { defaultAuth } from '../src/store/project-record.ts';
import { buildSchema, type Schema } from '../src/store/schema.ts';
import { misfit } from './fits.ts';

/**
 * Every answer that a test gets is held against the project's OpenAPI document, under the very schema that it was made
 * with: the operation's statuses, and what is in the body.
 */

/** Of one request: the projects it used. */
type Used = Map<string, Project & { readonly looked?: boolean }>;
const requests = new AsyncLocalStorage<Used>();
const documents = new WeakMap<Schema, JsonObject>();
const empty = buildSchema(0, []);

/** Has `catalog` note what schema each request is answered under. */
export function noteSchemas(catalog: Catalog): void {
  const { use, useNow } = catalog;
  const noting =
    <T>(id: string, work: (project: Project) => T) =>
    (project: Project): T => {
      requests.getStore()?.set(id, project);
      return work(project);
    };
  catalog.use = (id, work, how) => use.call(catalog, id, noting(id, work), how) as never;
  catalog.useNow = (id, work) => useNow.call(catalog, id, noting(id, work)) as never;
}

/** Answers a request and checks what came of it. `read`: the body, where it may be read. */
export function checked<T>(
  request: Pick<Request, 'method' | 'url'>,
  answer: () => Promise<T>,
  read: (answered: T) => Promise<{ response: Response; body: Json | undefined }>,
): Promise<T> {
  const used: Used = new Map();
  return requests.run(used, async () => {
    const answered = await answer();
    const { response, body } = await read(answered);
    const operation = findOperation(request, used);
    if (operation) check(operation, response, body);
    return answered;
  });
}

interface Found {
  readonly name: string;
  readonly responses: JsonObject;
  readonly document: JsonObject;
}

function findOperation({ method, url }: Pick<Request, 'method' | 'url'>, used: Used): Found | undefined {
  const [, project = '', rest = ''] = /^\/v1\/([a-z][^/]*)(\/.*)$/.exec(new URL(url).pathname) ?? [];
  const document = documentFor(rest, used.get(project));
  if (!document) return undefined;
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const paths = document.paths as Readonly<Record<string, JsonObject>>;
  const path = paths[rest] ? rest : Object.keys(paths).find((one) => fits(one, rest));
  const operation = path === undefined ? undefined : (paths[path]?.[verb] as JsonObject | undefined);
  return operation && { name: `${method} ${rest}`, responses: operation.responses as JsonObject, document };
}

/** Accounts do not depend on a schema. A method that is switched off is not described, whoever asks. */
function documentFor(rest: string, project: ReturnType<Used['get']>): JsonObject | undefined {
  if (!project) return undefined;
  if (rest.startsWith('/_auth/')) return documentOf(empty);
  return project.looked ? documentOf(project.schema) : undefined;
}

function documentOf(schema: Schema): JsonObject {
  const known = documents.get(schema);
  if (known) return known;
  const made = openapi({
    project: { id: 'p', name: 'p', auth: defaultAuth },
    audience: audienceOf(administrator, schema),
    limits: { perPage: 1000, batchOperations: 1000 },
  });
  documents.set(schema, made);
  return made;
}

/** Where a record's `_id` stands otherwise. */
const names = new Set(['distinct', 'export', 'batch']);

function fits(template: string, path: string): boolean {
  const [there, here] = [template.split('/'), path.split('/')];
  const same = (part: string, other = '') =>
    part === '{id}' ? !names.has(other) : part === other || part[0] === '{';
  return there.length === here.length && there.every((part, at) => same(part, here[at]));
}

function check({ name, responses, document }: Found, response: Response, body: Json | undefined): void {
  const { status } = response;
  const described = responses[status];
  assert.ok(described, `${name}: the status ${status} is not described: ${JSON.stringify(body)}`);
  if (body === undefined) return;
  const whole = resolve(described as JsonObject, document);
  const content = (whole.content as JsonObject | undefined)?.['application/json'] as JsonObject | undefined;
  const found = misfit(body, content?.schema ?? null, document, 'body');
  assert.equal(found, undefined, `${name}: the answer does not fit its description: ${found}`);
}

function resolve(described: JsonObject, document: JsonObject): JsonObject {
  const name = typeof described.$ref === 'string' ? described.$ref.split('/').at(-1) : undefined;
  const components = document.components as Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  return name === undefined ? described : (components.responses?.[name] ?? {});
}
