import { type Catalog, findCollection } from '../catalog/catalog.ts';
import type { Log } from '../log.ts';
import type { JsonObject } from '../model/json.ts';
import { writeCollection } from '../model/write-collection.ts';
import { pageJson, readPage } from '../records/page.ts';
import { readOptions } from './options.ts';

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

/** PUT: the definition as it is now, or with `dryRun=true` what would be done. */
export async function changeCollection(
  catalog: Catalog,
  log: Log,
  project: string,
  id: string,
  body: JsonObject,
  query: string,
): Promise<string> {
  const { dryRun, confirmed } = readOptions(query, ['dryRun', 'confirm']);
  const progress = progressLine(log, `${project}.${id}`);
  const change = await catalog.changeCollection(
    project,
    id,
    { id, ...body },
    { dryRun, confirmed, progress },
  );
  return dryRun ? JSON.stringify(change) : viewCollection(catalog, project, String(body.id ?? id));
}

export async function deleteCollection(
  catalog: Catalog,
  project: string,
  id: string,
  query: string,
): Promise<string> {
  await catalog.deleteCollection(project, id, readOptions(query, ['confirm']).confirmed);
  return JSON.stringify({ id });
}

/** A change that takes long says every few seconds how far it is. */
function progressLine(log: Log, name: string): (done: number, total: number) => void {
  let next = Date.now() + 2_000;
  return (done, total) => {
    if (Date.now() < next) return;
    next = Date.now() + 2_000;
    log.info(`changing ${name}: ${done} of ${total} records`);
  };
}
