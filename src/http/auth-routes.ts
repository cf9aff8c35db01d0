import { nobody } from '../access/caller.ts';
import type { AuthAsk } from '../auth/ask.ts';
import { login } from '../auth/login.ts';
import { updateMe, viewMe } from '../auth/me.ts';
import { logout, refresh } from '../auth/refresh.ts';
import { register } from '../auth/register.ts';
import {
  addMember,
  createWorkspace,
  listMembers,
  listWorkspaces,
  removeMember,
  switchWorkspace,
} from '../auth/workspaces.ts';
import { authenticate } from './authenticate.ts';
import { readBody } from './body.ts';
import { clientAddress } from './client-address.ts';
import { openSuccess } from './respond.ts';
import type { Handler, Route } from './route.ts';
import type { Services } from './services.ts';

/** /v1/:project/_auth: users sign up, sign in, and work with their workspaces. */
export function authRoutes(services: Services): Route[] {
  /** For whoever has no token yet: one that is sent along is not looked at. */
  const open = (status: 200 | 201, run: (ask: AuthAsk) => Promise<string>) =>
    handler(services, status, run, false);
  const signedIn = (status: 200 | 201, run: (ask: AuthAsk) => Promise<string>) =>
    handler(services, status, run, true);
  const routes: Omit<Route, 'cors'>[] = [
    { path: '/register', verbs: { POST: open(201, register) } },
    { path: '/login', verbs: { POST: open(200, login) } },
    { path: '/refresh', verbs: { POST: open(200, refresh) } },
    { path: '/logout', verbs: { POST: open(200, logout) } },
    { path: '/switch', verbs: { POST: signedIn(200, switchWorkspace) } },
    { path: '/me', verbs: { GET: signedIn(200, viewMe), PATCH: signedIn(200, updateMe) } },
    {
      path: '/workspaces',
      verbs: { GET: signedIn(200, listWorkspaces), POST: signedIn(201, createWorkspace) },
    },
    {
      path: '/workspaces/:id/members',
      verbs: { GET: signedIn(200, listMembers), POST: signedIn(201, addMember) },
    },
    { path: '/workspaces/:id/members/:user', verbs: { DELETE: signedIn(200, removeMember) } },
  ];
  return routes.map((route) => ({ ...route, path: `/v1/:project/_auth${route.path}`, cors: true }));
}

function handler(
  services: Services,
  status: 200 | 201,
  run: (ask: AuthAsk) => Promise<string>,
  signedIn: boolean,
): Handler {
  return ({ request, param, query, peer }) =>
    services.catalog.use(param('project'), async (project) => {
      const { headers } = request;
      const result = await run({
        project,
        settings: (await services.catalog.findProject(project.id)).auth,
        caller: signedIn ? await authenticate(services, headers, project) : nobody,
        param,
        query,
        body: () => readBody(request, services.limits.body),
        address: clientAddress(peer(), headers.get('x-forwarded-for'), services.proxies),
        limit: services.signInLimit,
        now: services.now(),
      });
      return openSuccess({ status, result });
    });
}
