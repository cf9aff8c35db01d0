import { makeResetLink } from '../../admin/reset-link.ts';
import {
  createUser,
  deleteUser,
  endSessions,
  endUserTotp,
  listUsers,
  updateUser,
  viewUser,
} from '../../admin/users.ts';
import type { Services } from '../services.ts';
import { passwordsOf, readTurn } from '../turn-taker.ts';
import type { ManagementAccess, ManagementRoute } from './access.ts';

/** Users of a project. */
export function userRoutes(services: Services, { keyed, body }: ManagementAccess): ManagementRoute[] {
  const settingsOf = async ({ id }: { id: string }) => (await services.catalog.requireProject(id)).auth;
  return [
    {
      path: '/projects/:project/users',
      actions: { POST: 'user.create' },
      verbs: {
        GET: keyed(
          200,
          async (project, incoming, caller) => {
            const turn = readTurn(services, incoming, caller);
            return listUsers(project, await settingsOf(project), incoming.query, turn);
          },
          'query',
        ),
        POST: keyed(201, async (project, incoming, caller) => {
          const passwords = passwordsOf(services, incoming, caller);
          const sent = await body(incoming);
          return createUser(project, await settingsOf(project), passwords, sent, services.now());
        }),
      },
    },
    {
      path: '/projects/:project/users/:id',
      actions: { PATCH: 'user.update', DELETE: 'user.delete' },
      verbs: {
        GET: keyed(200, async (project, { param }) =>
          viewUser(project, await settingsOf(project), param('id')),
        ),
        PATCH: keyed(200, async (project, incoming, caller) => {
          const passwords = passwordsOf(services, incoming, caller);
          const sent = await body(incoming);
          const latestSettings = () => settingsOf(project);
          const known = { settings: await latestSettings(), latestSettings, now: services.now() };
          return updateUser(project, known, passwords, incoming.param('id'), sent);
        }),
        DELETE: keyed(200, async (project, { param }) => {
          const { auth } = await services.catalog.requireProject(project.id);
          const { departures } = services;
          return deleteUser({ departures, now: services.now() }, project, param('id'), auth);
        }),
      },
    },
    {
      path: '/projects/:project/users/:id/reset',
      actions: { POST: 'user.resetLink' },
      verbs: {
        POST: keyed(200, async (project, { param }) =>
          makeResetLink(project, param('id'), {
            project: await services.catalog.requireProject(project.id),
            publicUrl: services.publicUrl ?? '',
            now: services.now(),
          }),
        ),
      },
    },
    {
      path: '/projects/:project/users/:id/sessions',
      actions: { DELETE: 'user.signOut' },
      verbs: { DELETE: keyed(200, (project, { param }) => endSessions(project, param('id'))) },
    },
    {
      path: '/projects/:project/users/:id/totp',
      actions: { DELETE: 'user.totp.end' },
      verbs: { DELETE: keyed(200, (project, { param }) => endUserTotp(project, param('id'))) },
    },
  ];
}
