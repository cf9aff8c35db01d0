import type { Catalog } from '../catalog/catalog.ts';
import { Form } from '../model/form.ts';
import { formatInstant } from '../model/instant.ts';
import type { JsonObject } from '../model/json.ts';
import { idPattern, idRule } from '../model/names.ts';
import { pageJson, readPage } from '../query/page.ts';
import { type AuthSettings, defaultAuth, type ProjectRecord } from '../store/store.ts';
import { readOptions } from './options.ts';

export async function listProjects(catalog: Catalog, query: string): Promise<string> {
  const page = readPage(query);
  const { total, found } = await catalog.listProjects(page);
  return pageJson(page, total, found.map(projectResult));
}

export async function viewProject(catalog: Catalog, id: string): Promise<string> {
  return JSON.stringify(projectResult(await catalog.requireProject(id)));
}

export async function createProject(catalog: Catalog, body: JsonObject): Promise<string> {
  const form = new Form(body, ['id', 'name', 'auth']);
  const id = form.text('id', { most: 63 });
  if (id !== '' && !idPattern.test(id)) form.fault('id', idRule);
  const name = form.has('name') ? form.text('name') : id;
  const auth = form.has('auth') ? readAuth(form, defaultAuth) : defaultAuth;
  form.done();
  return JSON.stringify(projectResult(await catalog.createProject(id, name, auth)));
}

export async function updateProject(catalog: Catalog, id: string, body: JsonObject): Promise<string> {
  const form = new Form(body, ['name', 'auth']);
  const { auth } = await catalog.requireProject(id);
  const change = {
    ...(form.has('name') && { name: form.text('name') }),
    ...(form.has('auth') && { auth: readAuth(form, auth) }),
  };
  form.done();
  return JSON.stringify(projectResult(await catalog.updateProject(id, change)));
}

export async function deleteProject(catalog: Catalog, id: string, query: string): Promise<string> {
  await catalog.deleteProject(id, readOptions(query, ['confirm']).confirmed);
  return JSON.stringify({ id });
}

/** What is not named stays as it is. */
export function readAuth(form: Form, current: AuthSettings): AuthSettings {
  const part = form.object('auth', Object.keys(defaultAuth));
  const auth: AuthSettings = {
    registration: part.has('registration')
      ? part.oneOf('registration', ['open', 'closed'])
      : current.registration,
    accessTokenMinutes: part.has('accessTokenMinutes')
      ? part.wholeNumber('accessTokenMinutes', 1, 24 * 60)
      : current.accessTokenMinutes,
    refreshTokenDays: part.has('refreshTokenDays')
      ? part.wholeNumber('refreshTokenDays', 1, 365)
      : current.refreshTokenDays,
  };
  form.merge(part, 'auth');
  return auth;
}

export function projectResult({ id, name, auth, created, updated }: ProjectRecord): object {
  return { id, name, auth, _createdAt: formatInstant(created), _updatedAt: formatInstant(updated) };
}
