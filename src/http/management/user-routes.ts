import { createUser, deleteUser, listUsers, updateUser, viewUser } from '../../admin/users.ts';
import type { Services } from '../services.ts';
import { passwordsOf } from '../turn-taker.ts';
import type { ManagementAccess, ManagementRoute } from './access.ts';

/** Users of a project. */
export function userRoutes(services: Services, { keyed, body }: ManagementAccess): ManagementRoute[] {
  return [
    {
      path: '/projects/:project/users',
      actions: { POST: 'user.create' },
      verbs: {
        GET: keyed(200, (project, { query }) => listUsers(project, query), 'query'),
        POST: keyed(201, async (project, incoming, caller) => {
          const passwords = passwordsOf(services, incoming, caller);
          return createUser(project, passwords, await body(incoming), services.now());
        }),
      },
    },
    {
      path: '/projects/:project/users/:id',
      actions: { PATCH: 'user.update', DELETE: 'user.delete' },
      verbs: {
        GET: keyed(200, (project, { param }) => viewUser(project, param('id'))),
        PATCH: keyed(200, async (project, incoming, caller) => {
          const passwords = passwordsOf(services, incoming, caller);
          return updateUser(project, passwords, incoming.param('id'), await body(incoming), services.now());
        }),
        DELETE: keyed(200, (project, { param }) => deleteUser(project, param('id'))),
      },
    },
  ];
}
