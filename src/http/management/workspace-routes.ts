import {
  addMember,
  createWorkspace,
  deleteWorkspace,
  listMembers,
  listWorkspaces,
  removeMember,
  updateWorkspace,
  viewWorkspace,
} from '../../admin/workspaces.ts';
import type { Services } from '../services.ts';
import type { ManagementAccess, ManagementRoute } from './access.ts';

/** Workspaces of a project and their members. */
export function workspaceRoutes({ now }: Services, { keyed, body }: ManagementAccess): ManagementRoute[] {
  return [
    {
      path: '/projects/:project/workspaces',
      actions: { POST: 'workspace.create' },
      verbs: {
        GET: keyed(200, (project, { query }) => listWorkspaces(project, query), 'query'),
        POST: keyed(201, async (project, incoming) => createWorkspace(project, await body(incoming), now())),
      },
    },
    {
      path: '/projects/:project/workspaces/:id',
      actions: { PATCH: 'workspace.update', DELETE: 'workspace.delete' },
      verbs: {
        GET: keyed(200, (project, { param }) => viewWorkspace(project, param('id'))),
        PATCH: keyed(200, async (project, incoming) => {
          return updateWorkspace(project, incoming.param('id'), await body(incoming), now());
        }),
        DELETE: keyed(200, (project, { param }) => deleteWorkspace(project, param('id'), now())),
      },
    },
    {
      path: '/projects/:project/workspaces/:id/members',
      actions: { POST: 'member.add' },
      verbs: {
        GET: keyed(200, (project, { param, query }) => listMembers(project, param('id'), query), 'query'),
        POST: keyed(201, async (project, incoming) =>
          addMember(project, incoming.param('id'), await body(incoming)),
        ),
      },
    },
    {
      path: '/projects/:project/workspaces/:id/members/:user',
      actions: { DELETE: 'member.remove' },
      verbs: {
        DELETE: keyed(200, (project, { param }) => removeMember(project, param('id'), param('user'))),
      },
    },
  ];
}
