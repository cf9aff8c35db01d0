import {
  createProject,
  deleteProject,
  listProjects,
  updateProject,
  viewProject,
} from '../../admin/projects.ts';
import type { Services } from '../services.ts';
import type { ManagementAccess, ManagementRoute } from './access.ts';

/** Projects. */
export function projectRoutes({ catalog }: Services, { admin, body }: ManagementAccess): ManagementRoute[] {
  return [
    {
      path: '/projects',
      actions: { POST: 'project.create' },
      verbs: {
        GET: admin(200, ({ query }) => listProjects(catalog, query), 'query'),
        POST: admin(201, async (incoming, own) => createProject(own, await body(incoming))),
      },
    },
    {
      path: '/projects/:project',
      actions: { PATCH: 'project.update', DELETE: 'project.delete' },
      verbs: {
        GET: admin(200, ({ param }) => viewProject(catalog, param('project'))),
        PATCH: admin(
          200,
          async (incoming, own) => {
            const { id } = await catalog.requireProject(incoming.param('project'));
            return updateProject(own, id, await body(incoming), incoming.query);
          },
          'query',
        ),
        DELETE: admin(200, ({ param, query }, own) => deleteProject(own, param('project'), query), 'query'),
      },
    },
  ];
}
