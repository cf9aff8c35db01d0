import { v7 as uuidv7 } from 'uuid';
import { invalidToken } from '../access/authority.ts';
import { digest, randomSecret } from '../access/secret.ts';
import { Failure } from '../failure.ts';
import { tooManyMails } from '../mail/mails.ts';
import { Form } from '../model/form.ts';
import { formatInstant } from '../model/instant.ts';
import { pageJson, readPage } from '../query/page.ts';
import type { Invitation } from '../store/account-invitations.ts';
import { roles } from '../store/roles.ts';
import { type AuthAsk, requireUser, withRights } from './ask.ts';
import { mailLimits } from './mail.ts';
import { requireOwner } from './workspaces.ts';

const life = 7 * 24 * 60 * 60_000;
const mostOfUser = 20;

/** GET /v1/:project/_auth/workspaces/:id/invitations */
export async function listInvitations(ask: AuthAsk): Promise<string> {
  const workspace = ask.param('id');
  await requireOwner(ask, workspace);
  const page = readPage(ask.query);
  const { total, found } = await ask.project.store.accounts.listInvitations(workspace, ask.now, page);
  return pageJson(page, total, found.map(invitationResult));
}

/** POST /v1/:project/_auth/workspaces/:id/invitations: the response is the same whether or not the address is registered. */
export async function invite(ask: AuthAsk): Promise<string> {
  const { user } = requireUser(ask);
  const workspace = ask.param('id');
  await requireOwner(ask, workspace);
  const form = new Form(await ask.body(), ['email', 'role']);
  const email = form.email('email');
  const role = form.has('role') ? form.oneOf('role', roles) : 'member';
  form.done();
  const { accounts } = withRights(ask, { workspace, owner: true }).project.store;
  const { mails, now } = ask;
  const id = uuidv7({ msecs: now });
  const token = mails ? undefined : randomSecret();
  const invitation = { id, email, role, created: now, expires: now + life };
  const write = () =>
    accounts.invite(
      { ...invitation, workspace, digest: token === undefined ? null : digest(token) },
      mails && { id: uuidv7({ msecs: now }), kind: 'invite', email, subject: id },
      [{ subject: `inviter ${user}`, most: mostOfUser }, ...(mails ? mailLimits(ask, 'invite', email) : [])],
      now,
    );
  const outcome = await (mails ? mails.announce(ask.project.id, write) : write());
  if (outcome === 'member') throw new Failure('conflict', `email: '${email}' is a member already`);
  if (outcome !== 'invited') throw tooManyMails(outcome);
  const place = await accounts.findWorkspace(workspace);
  const made = { ...invitation, workspace: { id: workspace, name: place?.name ?? '' } };
  return JSON.stringify({ ...invitationResult(made), ...(token !== undefined && { token }) });
}

/** DELETE /v1/:project/_auth/workspaces/:id/invitations/:invitation */
export async function withdrawInvitation(ask: AuthAsk): Promise<string> {
  const [workspace, id] = [ask.param('id'), ask.param('invitation')];
  await requireOwner(ask, workspace);
  const { accounts } = withRights(ask, { workspace, owner: true }).project.store;
  if (!(await accounts.withdrawInvitation(workspace, id))) throw noInvitation(id);
  return JSON.stringify({ _id: id });
}

/** GET /v1/:project/_auth/invitations: an unverified address may be somebody else's, so workspace names are left out. */
export async function listMyInvitations(ask: AuthAsk): Promise<string> {
  const { accounts } = ask.project.store;
  const user = await accounts.findUser(requireUser(ask).user);
  if (!user) throw invalidToken();
  const page = readPage(ask.query);
  const { total, found } = await accounts.listInvitationsFor(user.email, ask.now, page);
  const shown = user.verified
    ? found
    : found.map((one) => ({ ...one, workspace: { ...one.workspace, name: '' } }));
  return pageJson(page, total, shown.map(invitationResult));
}

/** POST /v1/:project/_auth/invitations/:id/accept */
export async function acceptInvitation(ask: AuthAsk): Promise<string> {
  const { user } = requireUser(ask);
  const id = ask.param('id');
  const form = new Form(await ask.body(true), ['token']);
  const token = form.has('token') ? digest(form.text('token', { most: 500 })) : undefined;
  form.done();
  const { accounts } = withRights(ask).project.store;
  const outcome = await accounts.acceptInvitation(id, user, token, ask.now);
  switch (outcome) {
    case 'absent':
      throw noInvitation(id);
    case 'wrongToken':
      throw new Failure('invalid', 'token: is not the one of this invitation');
    case 'unproven':
      throw new Failure(
        'forbidden',
        'Your address is not verified: send the token of the invitation along, or verify the address first',
      );
    default:
      return JSON.stringify({ _id: outcome.id, name: outcome.name, role: outcome.role });
  }
}

/** POST /v1/:project/_auth/invitations/:id/decline */
export async function declineInvitation(ask: AuthAsk): Promise<string> {
  const { user } = requireUser(ask);
  const id = ask.param('id');
  if (!(await withRights(ask).project.store.accounts.declineInvitation(id, user))) throw noInvitation(id);
  return '{}';
}

const noInvitation = (id: string) => new Failure('absent', `There is no invitation '${id}' for you here`);

function invitationResult({ id, email, role, workspace, created, expires }: Invitation): object {
  return {
    _id: id,
    email,
    role,
    workspace: { _id: workspace.id, name: workspace.name },
    _createdAt: formatInstant(created),
    expiresAt: formatInstant(expires),
  };
}
