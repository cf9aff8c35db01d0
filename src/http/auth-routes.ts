import { nobody } from '../access/caller.ts';
import type { AuthAsk } from '../auth/ask.ts';
import { changeEmail, confirmEmail } from '../auth/change-email.ts';
import { deleteAccount } from '../auth/delete-account.ts';
import {
  acceptInvitation,
  declineInvitation,
  invite,
  listInvitations,
  listMyInvitations,
  withdrawInvitation,
} from '../auth/invitations.ts';
import { login } from '../auth/login.ts';
import { updateMe, viewMe } from '../auth/me.ts';
import { changeMember, listMembers, removeMember } from '../auth/members.ts';
import { logout, refresh } from '../auth/refresh.ts';
import { register } from '../auth/register.ts';
import { forgotPassword, resetPassword } from '../auth/reset.ts';
import { endOtherSessions, endSession, listSessions } from '../auth/sessions.ts';
import { sendVerification, verifyAddress } from '../auth/verify.ts';
import {
  createWorkspace,
  deleteWorkspace,
  listWorkspaces,
  renameWorkspace,
  switchWorkspace,
} from '../auth/workspaces.ts';
import { authenticate } from './authenticate.ts';
import { readBody } from './body.ts';
import { addressOf } from './client-address.ts';
import { refuseQuery } from './refuse-query.ts';
import { openSuccess, unstored } from './respond.ts';
import type { Handler, Route } from './route.ts';
import type { Services } from './services.ts';
import { passwordsOf } from './turn-taker.ts';

/** /v1/:project/_auth: users sign up, sign in, and work with their workspaces. */
export function authRoutes(services: Services): Route[] {
  /** For whoever has no token yet: one that is sent along is not looked at. */
  const open = (status: 200 | 201, run: (ask: AuthAsk) => Promise<string>) =>
    handler(services, status, run, 'open');
  const signedIn = (status: 200 | 201, run: (ask: AuthAsk) => Promise<string>) =>
    handler(services, status, run, 'signedIn');
  /** It takes parameters. */
  const paged = (run: (ask: AuthAsk) => Promise<string>) => handler(services, 200, run, 'paged');
  const routes: Omit<Route, 'cors'>[] = [
    { path: '/register', verbs: { POST: open(201, register) } },
    { path: '/login', verbs: { POST: open(200, login) } },
    { path: '/refresh', verbs: { POST: open(200, refresh) } },
    { path: '/logout', verbs: { POST: open(200, logout) } },
    { path: '/switch', verbs: { POST: signedIn(200, switchWorkspace) } },
    { path: '/me', verbs: { GET: signedIn(200, viewMe), PATCH: signedIn(200, updateMe) } },
    { path: '/me/delete', verbs: { POST: signedIn(200, deleteAccount) } },
    { path: '/forgot', verbs: { POST: open(200, forgotPassword) } },
    { path: '/reset', verbs: { POST: open(200, resetPassword) } },
    { path: '/verify/send', verbs: { POST: signedIn(200, sendVerification) } },
    { path: '/verify', verbs: { POST: open(200, verifyAddress) } },
    { path: '/email', verbs: { POST: signedIn(200, changeEmail) } },
    { path: '/email/confirm', verbs: { POST: open(200, confirmEmail) } },
    { path: '/sessions', verbs: { GET: paged(listSessions), DELETE: signedIn(200, endOtherSessions) } },
    { path: '/sessions/:id', verbs: { DELETE: signedIn(200, endSession) } },
    {
      path: '/workspaces',
      verbs: { GET: paged(listWorkspaces), POST: signedIn(201, createWorkspace) },
    },
    {
      path: '/workspaces/:id',
      verbs: { PATCH: signedIn(200, renameWorkspace), DELETE: paged(deleteWorkspace) },
    },
    { path: '/workspaces/:id/members', verbs: { GET: paged(listMembers) } },
    {
      path: '/workspaces/:id/members/:user',
      verbs: { PATCH: signedIn(200, changeMember), DELETE: signedIn(200, removeMember) },
    },
    {
      path: '/workspaces/:id/invitations',
      verbs: { GET: paged(listInvitations), POST: signedIn(201, invite) },
    },
    {
      path: '/workspaces/:id/invitations/:invitation',
      verbs: { DELETE: signedIn(200, withdrawInvitation) },
    },
    { path: '/invitations', verbs: { GET: paged(listMyInvitations) } },
    { path: '/invitations/:id/accept', verbs: { POST: signedIn(200, acceptInvitation) } },
    { path: '/invitations/:id/decline', verbs: { POST: signedIn(200, declineInvitation) } },
  ];
  return routes.map((route) => ({ ...route, path: `/v1/:project/_auth${route.path}`, cors: true }));
}

function handler(
  services: Services,
  status: 200 | 201,
  run: (ask: AuthAsk) => Promise<string>,
  access: 'open' | 'signedIn' | 'paged',
): Handler {
  return (incoming) => {
    const { request, param, query } = incoming;
    return services.catalog.useAccounts(param('project'), async (project) => {
      const { headers } = request;
      const caller = access === 'open' ? nobody : await authenticate(services, headers, project);
      if (access !== 'paged') refuseQuery(query);
      const result = await run({
        project,
        settings: (await services.catalog.requireProject(project.id)).auth,
        caller,
        param,
        query,
        body: (optional) => readBody(request, services.limits.body, optional),
        address: addressOf(services, incoming),
        agent: headers.get('user-agent') ?? '',
        limit: services.signInLimit,
        passwords: passwordsOf(services, incoming, caller),
        mails: services.mails,
        departures: services.departures,
        now: services.now(),
      });
      return openSuccess({ status, result, headers: unstored });
    });
  };
}
