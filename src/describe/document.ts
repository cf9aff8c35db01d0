import type { Caller } from '../access/caller.ts';
import { digest } from '../access/secret.ts';
import { inSteps, type Steps } from '../awaitable.ts';
import type { JsonObject } from '../model/json.ts';
import { Lru } from '../store/cache.ts';
import type { Schema } from '../store/schema.ts';
import { audienceKey, audienceOf } from './audience.ts';
import { docsSteps } from './docs/page.ts';
import { openapiSteps, type Subject } from './openapi.ts';

/** A document that is the same for all callers with the same rights. */
export interface Described {
  readonly text: string;
  readonly type: string;
  readonly etag: string;
}

export type DescribedProject = Omit<Subject, 'audience'> & { readonly schema: Schema };

/** GET /v1/:project/_openapi.json */
export function openapiText(caller: Caller, project: DescribedProject): Promise<Described> {
  return described(caller, project, 'application/json', openapiJson);
}

/** GET /v1/:project/_docs */
export function docsText(caller: Caller, project: DescribedProject): Promise<Described> {
  return described(caller, project, 'text/html', docsSteps);
}

/**
 * 16 Mi characters: about a hundred documents of typical projects. The key contains the schema, the project's name and settings
 * and the audience: when one of these changes, the old text is not used any more and gets evicted.
 */
const texts = new Lru<string, Described>({ most: 16 * 1024 * 1024, weigh: ({ text }) => text.length });
/** Documents that are being made; concurrent requests wait for the same one. */
const making = new Map<string, Promise<Described>>();

function described(
  caller: Caller,
  { schema, project, limits }: DescribedProject,
  type: string,
  make: (subject: Subject) => Steps<string>,
): Promise<Described> {
  const key = JSON.stringify([
    ...[numberOf(schema), type, audienceKey(caller)],
    ...[project.id, project.name, project.auth, limits],
  ]);
  const known = texts.get(key) ?? making.get(key);
  if (known) return Promise.resolve(known);
  const made = inSteps(make({ project, limits, audience: audienceOf(caller, schema) }))
    .then((text) => ({ text, type: `${type}; charset=utf-8`, etag: `"${digest(text).slice(0, 22)}"` }))
    .finally(() => making.delete(key));
  making.set(key, made);
  return made.then((one) => {
    texts.set(key, one);
    return one;
  });
}

/** A number for each schema object, used in keys; it is dropped with the schema. */
const numbers = new WeakMap<Schema, number>();
let schemas = 0;

/** Not the version, as schemas of different projects can have the same one. */
function numberOf(schema: Schema): number {
  const known = numbers.get(schema) ?? schemas++;
  numbers.set(schema, known);
  return known;
}

/** Serializes large parts one by one, so that it can be interrupted. */
function* openapiJson(subject: Subject): Steps<string> {
  const { paths, components, ...head } = yield* openapiSteps(subject);
  const kinds: string[] = [];
  for (const [kind, parts] of Object.entries(components as Readonly<Record<string, JsonObject>>)) {
    kinds.push(`${JSON.stringify(kind)}:${yield* objectJson(parts)}`);
  }
  const rest = `"paths":${yield* objectJson(paths as JsonObject)},"components":{${kinds.join(',')}}}`;
  return `${JSON.stringify(head).slice(0, -1)},${rest}`;
}

function* objectJson(value: JsonObject): Steps<string> {
  const parts: string[] = [];
  for (const [name, part] of Object.entries(value)) {
    parts.push(`${JSON.stringify(name)}:${JSON.stringify(part)}`);
    yield;
  }
  return `{${parts.join(',')}}`;
}
