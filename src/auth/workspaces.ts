import { v7 as uuidv7 } from 'uuid';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import { pageJson, readPage } from '../query/page.ts';
import { type Role, roles } from '../store/accounts.ts';
import { type AuthAsk, requireUser, withRights } from './ask.ts';
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
  if (!found) throw new Failure('unauthenticated', 'The token is not valid or has expired');
  return signIn(withRights(ask, { workspace, owner: false }), found, workspace, { session });
}

/** GET /v1/:project/_auth/workspaces/:id/members */
export async function listMembers(ask: AuthAsk): Promise<string> {
  const workspace = ask.param('id');
  await requireRole(ask, workspace);
  const page = readPage(ask.query);
  const { total, found } = await ask.project.store.accounts.listMembers(workspace, page);
  return pageJson(
    page,
    total,
    found.map(({ user, ...rest }) => ({ _id: user, ...rest })),
  );
}

/** POST /v1/:project/_auth/workspaces/:id/members */
export async function addMember(ask: AuthAsk): Promise<string> {
  const workspace = ask.param('id');
  const { accounts } = withRights(ask, { workspace, owner: true }).project.store;
  if ((await requireRole(ask, workspace)) !== 'owner') {
    throw new Failure('forbidden', 'Only an owner of the workspace adds members');
  }
  const form = new Form(await ask.body(), ['email', 'role']);
  const email = form.email('email');
  const role = form.has('role') ? form.oneOf('role', roles) : 'member';
  form.done();
  const known = await accounts.findPassword(email);
  if (!known) throw new Failure('invalid', `email: nobody is registered as '${email}'`);
  const { id, name } = known.user;
  if (!(await accounts.addMember(workspace, id, role))) {
    throw new Failure('conflict', `email: '${email}' is a member already`);
  }
  return JSON.stringify({ _id: id, email, name, role });
}

/** DELETE /v1/:project/_auth/workspaces/:id/members/:user */
export async function removeMember(ask: AuthAsk): Promise<string> {
  const { user: caller } = requireUser(ask);
  const [workspace, user] = [ask.param('id'), ask.param('user')];
  const role = await requireRole(ask, workspace);
  if (role !== 'owner' && user !== caller) {
    throw new Failure('forbidden', 'Only an owner of the workspace removes others');
  }
  const { accounts } = withRights(ask, { workspace, owner: user !== caller }).project.store;
  switch (await accounts.removeMember(workspace, user)) {
    case 'absent':
      throw new Failure('absent', `There is no member '${user}' in this workspace`);
    case 'lastOwner':
      throw new Failure(
        'conflict',
        "The last owner can't leave while there are other members: remove one and add them again as owner",
      );
    case 'removed':
      return JSON.stringify({ _id: user });
  }
}

/** To those who are not in it a workspace does not exist. */
async function requireRole(ask: AuthAsk, workspace: string): Promise<Role> {
  const { user } = requireUser(ask);
  const role = await ask.project.store.accounts.findRole(workspace, user);
  if (!role) throw new Failure('absent', `There is no workspace '${workspace}' of yours`);
  return role;
}
