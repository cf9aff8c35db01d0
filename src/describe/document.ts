import type { Caller } from '../access/caller.ts';
import { digest } from '../access/secret.ts';
import type { Schema } from '../store/schema.ts';
import { audienceKey, audienceOf } from './audience.ts';
import { docsPage } from './docs/page.ts';
import { openapi, type Subject } from './openapi.ts';

/** A text that is the same for all who can use the same. */
export interface Described {
  readonly text: string;
  readonly type: string;
  readonly etag: string;
}

export type DescribedProject = Omit<Subject, 'audience'> & { readonly schema: Schema };

/** GET /v1/:project/_openapi.json */
export function openapiText(caller: Caller, project: DescribedProject): Described {
  return described(caller, project, 'application/json', (subject) => JSON.stringify(openapi(subject)));
}

/** GET /v1/:project/_docs */
export function docsText(caller: Caller, project: DescribedProject): Described {
  return described(caller, project, 'text/html', docsPage);
}

/** By schema, as nothing else changes them but the project's name and settings; those are in the key. */
const texts = new WeakMap<Schema, Map<string, Described>>();

/** More than there are audiences, twice; for a project that is renamed while its schema stays. */
const mostTexts = 24;

function described(
  caller: Caller,
  { schema, project, limits }: DescribedProject,
  type: string,
  make: (subject: Subject) => string,
): Described {
  const known = texts.get(schema) ?? new Map<string, Described>();
  texts.set(schema, known);
  const key = `${type} ${audienceKey(caller)} ${project.auth.registration} ${project.name}`;
  const found = known.get(key);
  if (found) return found;
  const text = make({ project, limits, audience: audienceOf(caller, schema) });
  const made = { text, type: `${type}; charset=utf-8`, etag: `"${digest(text).slice(0, 22)}"` };
  if (known.size >= mostTexts) known.clear();
  known.set(key, made);
  return made;
}
