import { type Catalog, findCollection } from '../catalog/catalog.ts';
import type { JsonObject } from '../model/json.ts';
import { writeCollection } from '../model/write-collection.ts';
import { pageJson, readPage } from '../records/page.ts';

export async function listCollections(catalog: Catalog, project: string, query: string): Promise<string> {
  const page = readPage(query);
  return catalog.use(project, async ({ schema }) => {
    const all = [...schema.collections.values()].map(({ definition }) => writeCollection(definition));
    return pageJson(page, all.length, all.slice(page.offset, page.offset + page.limit));
  });
}

export async function viewCollection(catalog: Catalog, project: string, id: string): Promise<string> {
  return catalog.use(project, async (open) =>
    JSON.stringify(writeCollection(findCollection(open, id).definition)),
  );
}

export async function createCollection(catalog: Catalog, project: string, body: JsonObject): Promise<string> {
  const { definition } = await catalog.createCollection(project, body);
  return JSON.stringify(writeCollection(definition));
}
