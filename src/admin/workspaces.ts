import { v7 as uuidv7 } from 'uuid';
import { noMember } from '../auth/members.ts';
import type { ProjectAccounts } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import { formatInstant } from '../model/instant.ts';
import type { JsonObject } from '../model/json.ts';
import { pageJson, readPage } from '../query/page.ts';
import type { Workspace } from '../store/accounts.ts';
import { roles } from '../store/roles.ts';

export async function listWorkspaces({ store }: ProjectAccounts, query: string): Promise<string> {
  const page = readPage(query);
  const { total, found } = await store.accounts.listWorkspaces(page);
  return pageJson(page, total, found.map(workspaceResult));
}

export async function createWorkspace(
  { store }: ProjectAccounts,
  body: JsonObject,
  now: number,
): Promise<string> {
  const form = new Form(body, ['name']);
  const workspace = { id: uuidv7(), name: form.text('name'), created: now, updated: now };
  form.done();
  await store.accounts.createWorkspace(workspace, undefined);
  return JSON.stringify(workspaceResult(workspace));
}

export async function viewWorkspace({ store }: ProjectAccounts, id: string): Promise<string> {
  return JSON.stringify(workspaceResult(present(await store.accounts.findWorkspace(id), id)));
}

export async function updateWorkspace(
  { store }: ProjectAccounts,
  id: string,
  body: JsonObject,
  now: number,
): Promise<string> {
  const form = new Form(body, ['name']);
  const name = form.text('name');
  form.done();
  return JSON.stringify(workspaceResult(present(await store.accounts.renameWorkspace(id, name, now), id)));
}

/** Its records are kept: keys and administrators still see them, and can assign them to another workspace. */
export async function deleteWorkspace({ store }: ProjectAccounts, id: string, now: number): Promise<string> {
  if (!(await store.accounts.deleteWorkspace(id, 'keep', now))) present(undefined, id);
  return JSON.stringify({ _id: id });
}

export async function listMembers({ store }: ProjectAccounts, id: string, query: string): Promise<string> {
  present(await store.accounts.findWorkspace(id), id);
  const page = readPage(query);
  const { total, found } = await store.accounts.listMembers(id, page);
  return pageJson(
    page,
    total,
    found.map(({ user, ...rest }) => ({ _id: user, ...rest })),
  );
}

export async function addMember({ store }: ProjectAccounts, id: string, body: JsonObject): Promise<string> {
  present(await store.accounts.findWorkspace(id), id);
  const form = new Form(body, ['user', 'role']);
  const user = form.text('user');
  const asked = form.has('role') ? form.oneOf('role', roles) : 'member';
  form.done();
  const found = await store.accounts.findUser(user);
  if (!found) throw new Failure('invalid', `user: there is no user '${user}'`);
  const role = await store.accounts.addMember(id, user, asked);
  if (role === undefined) throw new Failure('conflict', `user: '${user}' is a member already`);
  return JSON.stringify({ _id: user, email: found.email, name: found.name, role });
}

export async function removeMember({ store }: ProjectAccounts, id: string, user: string): Promise<string> {
  present(await store.accounts.findWorkspace(id), id);
  if ((await store.accounts.removeMember(id, user, 'replace')) === 'absent') throw noMember(user);
  return JSON.stringify({ _id: user });
}

function present(workspace: Workspace | undefined, id: string): Workspace {
  if (!workspace) throw new Failure('absent', `There is no workspace '${id}'`);
  return workspace;
}

function workspaceResult({ id, name, created, updated }: Workspace): object {
  return { _id: id, name, _createdAt: formatInstant(created), _updatedAt: formatInstant(updated) };
}
