import type { Authority } from '../access/authority.ts';
import type { Collection } from '../model/collection.ts';
import type { Json } from '../model/json.ts';
import { readCollection } from '../model/read-collection.ts';
import { writeCollection } from '../model/write-collection.ts';
import type { Project } from './project.ts';

export async function createCollection(
  { schema, store }: Project,
  raw: Json,
  { mostFields, authority }: { readonly mostFields: number; readonly authority: Authority | undefined },
): Promise<Collection> {
  const definition = readCollection(raw, new Set(schema.collections.keys()), { mostFields });
  await store.createCollection({
    definition: writeCollection(definition),
    version: schema.version,
    authority,
  });
  return definition;
}
