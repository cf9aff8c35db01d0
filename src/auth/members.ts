import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import { pageJson, readPage } from '../query/page.ts';
import type { Member } from '../store/accounts.ts';
import { roles } from '../store/roles.ts';
import { type AuthAsk, requireUser, withRights } from './ask.ts';
import { requireOwner, requireRole } from './workspaces.ts';

/** GET /v1/:project/_auth/workspaces/:id/members */
export async function listMembers(ask: AuthAsk): Promise<string> {
  const workspace = ask.param('id');
  await requireRole(ask, workspace);
  const page = readPage(ask.query);
  const { total, found } = await ask.project.store.accounts.listMembers(workspace, page);
  return pageJson(page, total, found.map(memberResult));
}

/** PATCH /v1/:project/_auth/workspaces/:id/members/:user */
export async function changeMember(ask: AuthAsk): Promise<string> {
  const [workspace, user] = [ask.param('id'), ask.param('user')];
  await requireOwner(ask, workspace);
  const form = new Form(await ask.body(), ['role']);
  const role = form.oneOf('role', roles);
  form.done();
  const { accounts } = withRights(ask, { workspace, owner: true }).project.store;
  const outcome = await accounts.setRole(workspace, user, role);
  if (outcome === 'absent') throw noMember(user);
  if (outcome === 'lastOwner') throw lastOwner();
  return JSON.stringify(memberResult(outcome));
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
  switch (await accounts.removeMember(workspace, user, 'refuse')) {
    case 'absent':
      throw noMember(user);
    case 'lastOwner':
      throw lastOwner();
    case 'removed':
      return JSON.stringify({ _id: user });
  }
}

export const noMember = (user: string) =>
  new Failure('absent', `There is no member '${user}' in this workspace`);

function lastOwner(): Failure {
  return new Failure(
    'conflict',
    'A workspace is never without an owner: make another member its owner first, or delete the workspace',
  );
}

function memberResult({ user, ...rest }: Member): object {
  return { _id: user, ...rest };
}
