import { v7 as uuidv7 } from 'uuid';
import { invalidToken } from '../access/authority.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import { readOptions } from '../query/options.ts';
import { pageJson, readPage } from '../query/page.ts';
import type { Role } from '../store/roles.ts';
import { type AuthAsk, requireUser, withRights } from './ask.ts';
import { leavingRecords } from './delete-account.ts';
import { signIn } from './sign-in.ts';

/** GET /v1/:project/_auth/workspaces */
export async function listWorkspaces(ask: AuthAsk): Promise<string> {
  const { user } = requireUser(ask);
  const page = readPage(ask.query);
  const { total, found } = await ask.project.store.accounts.listWorkspacesOf(user, page);
  return pageJson(
    page,
    total,
    found.map(({ id, name, role }) => ({ _id: id, name, role })),
  );
}

/** POST /v1/:project/_auth/workspaces */
export async function createWorkspace(ask: AuthAsk): Promise<string> {
  const { user } = requireUser(ask);
  const form = new Form(await ask.body(), ['name']);
  const name = form.text('name');
  form.done();
  const workspace = { id: uuidv7(), name, created: ask.now, updated: ask.now };
  await withRights(ask).project.store.accounts.createWorkspace(workspace, user);
  return JSON.stringify({ _id: workspace.id, name, role: 'owner' });
}

/** POST /v1/:project/_auth/switch */
export async function switchWorkspace(ask: AuthAsk): Promise<string> {
  const { user, session } = requireUser(ask);
  const { accounts } = ask.project.store;
  const form = new Form(await ask.body(), ['workspace']);
  const workspace = form.text('workspace');
  form.done();
  await requireRole(ask, workspace);
  const found = await accounts.findUser(user);
  if (!found) throw invalidToken();
  return signIn(withRights(ask, { workspace, owner: false }), found, workspace, { session });
}

/** PATCH /v1/:project/_auth/workspaces/:id */
export async function renameWorkspace(ask: AuthAsk): Promise<string> {
  const id = ask.param('id');
  await requireOwner(ask, id);
  const form = new Form(await ask.body(), ['name']);
  const name = form.text('name');
  form.done();
  const { accounts } = withRights(ask, { workspace: id, owner: true }).project.store;
  if (!(await accounts.renameWorkspace(id, name, ask.now))) throw noWorkspace(id);
  return JSON.stringify({ _id: id, name, role: 'owner' });
}

/** DELETE /v1/:project/_auth/workspaces/:id */
export async function deleteWorkspace(ask: AuthAsk): Promise<string> {
  const id = ask.param('id');
  await requireOwner(ask, id);
  const { confirmed } = readOptions(ask.query, ['confirm']);
  if (!confirmed && (await ask.departures.hasRecords(ask.project.id, id))) {
    throw new Failure(
      'conflict',
      'Deleting the workspace would lose its records: repeat with ?confirm=destructive to do it anyway',
    );
  }
  const { accounts } = withRights(ask, { workspace: id, owner: true }).project.store;
  const records = confirmed ? 'delete' : 'keep';
  await leavingRecords(ask, records, async () => {
    if (!(await accounts.deleteWorkspace(id, records, ask.now))) throw noWorkspace(id);
  });
  return JSON.stringify({ _id: id });
}

/** Non-members get the same answer as if the workspace did not exist. */
export async function requireRole(ask: AuthAsk, workspace: string): Promise<Role> {
  const { user } = requireUser(ask);
  const role = await ask.project.store.accounts.findRole(workspace, user);
  if (!role) throw noWorkspace(workspace);
  return role;
}

export async function requireOwner(ask: AuthAsk, workspace: string): Promise<void> {
  if ((await requireRole(ask, workspace)) === 'owner') return;
  throw new Failure('forbidden', 'Only an owner of the workspace may do this');
}

const noWorkspace = (id: string) => new Failure('absent', `There is no workspace '${id}' of yours`);
