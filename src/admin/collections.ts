import type { Catalog } from '../catalog/catalog.ts';
import type { Project } from '../catalog/project.ts';
import { requireCollection } from '../catalog/require-collection.ts';
import type { Log } from '../log.ts';
import type { Collection } from '../model/collection.ts';
import type { JsonObject } from '../model/json.ts';
import { writeCollection } from '../model/write-collection.ts';
import { readOptions } from '../query/options.ts';
import { pageJson, readPage } from '../query/page.ts';

export async function listCollections(catalog: Catalog, project: string, query: string): Promise<string> {
  const page = readPage(query);
  const work = async ({ schema }: Project) => {
    const all = [...schema.collections.values()].map(({ definition }) => writeCollection(definition));
    return pageJson(page, all.length, all.slice(page.offset, page.offset + page.limit));
  };
  return catalog.use(project, work, 'fresh');
}

export async function viewCollection(catalog: Catalog, project: string, id: string): Promise<string> {
  const work = async (open: Project) => definitionResult(requireCollection(open, id).definition);
  return catalog.use(project, work, 'fresh');
}

export async function createCollection(catalog: Catalog, project: string, body: JsonObject): Promise<string> {
  return definitionResult(await catalog.createCollection(project, body));
}

/** PUT: returns the new definition, or with `dryRun=true` what would be done. */
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
  const { definition, report } = await catalog.changeCollection(
    project,
    id,
    { id, ...body },
    { dryRun, confirmed, progress },
  );
  return dryRun ? JSON.stringify(report) : definitionResult(definition);
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

function definitionResult(definition: Collection): string {
  return JSON.stringify(writeCollection(definition));
}

/** Logs the progress of a long change every two seconds. */
function progressLine(log: Log, name: string): (done: number, total: number) => void {
  let next = Date.now() + 2_000;
  return (done, total) => {
    if (Date.now() < next) return;
    next = Date.now() + 2_000;
    log.info(`changing ${name}: ${done} of ${total} records`);
  };
}
