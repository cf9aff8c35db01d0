import { createKey, deleteKey, listKeys } from '../../admin/keys.ts';
import type { Services } from '../services.ts';
import type { ManagementAccess, ManagementRoute } from './access.ts';

/** Server keys of a project. */
export function keyRoutes({ now }: Services, { adminIn, body }: ManagementAccess): ManagementRoute[] {
  return [
    {
      path: '/projects/:project/keys',
      actions: { POST: 'key.create' },
      verbs: {
        GET: adminIn(200, (project, { query }) => listKeys(project, query), 'query'),
        POST: adminIn(201, async (project, incoming) => createKey(project, await body(incoming), now())),
      },
    },
    {
      path: '/projects/:project/keys/:id',
      actions: { DELETE: 'key.delete' },
      verbs: { DELETE: adminIn(200, (project, { param }) => deleteKey(project, param('id'))) },
    },
  ];
}
