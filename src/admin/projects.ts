import type { Catalog } from '../catalog/catalog.ts';
import { type Issue, invalid } from '../failure.ts';
import { formatInstant } from '../model/instant.ts';
import type { JsonObject } from '../model/json.ts';
import { idPattern, idRule } from '../model/names.ts';
import { refuseUnknownKeys } from '../model/read-collection.ts';
import type { ProjectRecord } from '../store/store.ts';
import { pageJson, readPage } from './page.ts';

export async function listProjects(catalog: Catalog, query: string): Promise<string> {
  const page = readPage(query);
  const { total, found } = await catalog.listProjects(page);
  return pageJson(page, total, found.map(projectResult));
}

export async function viewProject(catalog: Catalog, id: string): Promise<string> {
  return JSON.stringify(projectResult(await catalog.findProject(id)));
}

export async function createProject(catalog: Catalog, body: JsonObject): Promise<string> {
  const issues: Issue[] = [];
  refuseUnknownKeys(body, ['id', 'name'], '', (at, message) => issues.push({ at, message }));
  const { id, name = id } = body;
  if (typeof id !== 'string' || !idPattern.test(id)) issues.push({ at: 'id', message: idRule });
  if (typeof name !== 'string') issues.push({ at: 'name', message: 'must be a string' });
  if (issues.length > 0) throw invalid(issues);
  return JSON.stringify(projectResult(await catalog.createProject(id as string, name as string)));
}

function projectResult({ id, name, createdAt }: ProjectRecord): JsonObject {
  return { id, name, _createdAt: formatInstant(createdAt) };
}
