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
import { rejectAddress, sendVerification, verifyAddress } from '../auth/verify.ts';
import {
  createWorkspace,
  deleteWorkspace,
  listWorkspaces,
  renameWorkspace,
  switchWorkspace,
} from '../auth/workspaces.ts';
import { authHandler } from './auth-handler.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';
import { signInRoutes } from './sign-in-routes.ts';

/** /v1/:project/_auth: sign-up, sign-in, accounts and workspaces of users. */
export function authRoutes(services: Services): Route[] {
  /** For callers without a token; a token that is sent is ignored. */
  const open = (status: 200 | 201, run: (ask: AuthAsk) => Promise<string>) =>
    authHandler(services, status, run, 'open');
  const signedIn = (status: 200 | 201, run: (ask: AuthAsk) => Promise<string>) =>
    authHandler(services, status, run, 'signedIn');
  const paged = (run: (ask: AuthAsk) => Promise<string>) => authHandler(services, 200, run, 'paged');
  const enrolling = (status: 200, run: (ask: AuthAsk) => Promise<string>) =>
    authHandler(services, status, run, 'enrolling');
  const routes: Omit<Route, 'cors'>[] = [
    ...signInRoutes(services),
    { path: '/register', verbs: { POST: open(201, register) } },
    { path: '/login', verbs: { POST: open(200, login) } },
    { path: '/refresh', verbs: { POST: open(200, refresh) } },
    { path: '/logout', verbs: { POST: open(200, logout) } },
    { path: '/switch', verbs: { POST: signedIn(200, switchWorkspace) } },
    { path: '/me', verbs: { GET: enrolling(200, viewMe), PATCH: signedIn(200, updateMe) } },
    { path: '/me/delete', verbs: { POST: signedIn(200, deleteAccount) } },
    { path: '/forgot', verbs: { POST: open(200, forgotPassword) } },
    { path: '/reset', verbs: { POST: open(200, resetPassword) } },
    { path: '/verify/send', verbs: { POST: signedIn(200, sendVerification) } },
    { path: '/verify', verbs: { POST: open(200, verifyAddress) } },
    { path: '/verify/reject', verbs: { POST: open(200, rejectAddress) } },
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
