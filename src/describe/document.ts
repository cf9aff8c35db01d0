import type { Caller } from '../access/caller.ts';
import { digest } from '../access/secret.ts';
import type { Schema } from '../store/schema.ts';
import { audienceKey, audienceOf } from './audience.ts';
import { openapi, type Subject } from './openapi.ts';

/** A text that is the same for all who can use the same. */
export interface Described {
  readonly text: string;
  readonly etag: string;
}

export type DescribedProject = Omit<Subject, 'audience'> & { readonly schema: Schema };

/** By schema, as nothing else changes it but the project's name and settings; those are in the key. */
const documents = new WeakMap<Schema, Map<string, Described>>();

/** More than there are audiences, for a project that is renamed while its schema stays. */
const mostDocuments = 12;

/** GET /v1/:project/_openapi.json */
export function openapiText(caller: Caller, { schema, project, limits }: DescribedProject): Described {
  const known = documents.get(schema) ?? new Map<string, Described>();
  documents.set(schema, known);
  const key = `${audienceKey(caller)} ${project.auth.registration} ${project.name}`;
  const found = known.get(key);
  if (found) return found;
  const text = JSON.stringify(openapi({ project, limits, audience: audienceOf(caller, schema) }));
  const made = { text, etag: `"${digest(text).slice(0, 22)}"` };
  if (known.size >= mostDocuments) known.clear();
  known.set(key, made);
  return made;
}
