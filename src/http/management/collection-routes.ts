import {
  changeCollection,
  createCollection,
  deleteCollection,
  listCollections,
  viewCollection,
} from '../../admin/collections.ts';
import { explain } from '../../admin/explain.ts';
import { viewStats } from '../../admin/stats.ts';
import { requireCollection } from '../../catalog/require-collection.ts';
import type { Services } from '../services.ts';
import type { ManagementAccess, ManagementRoute } from './access.ts';

/** Collections of a project: definitions, statistics, and explanations of access. */
export function collectionRoutes(
  { catalog, log, now }: Services,
  { admin, body }: ManagementAccess,
): ManagementRoute[] {
  return [
    {
      path: '/projects/:project/collections',
      actions: { POST: 'collection.create' },
      verbs: {
        GET: admin(200, ({ param, query }) => listCollections(catalog, param('project'), query), 'query'),
        POST: admin(201, async (incoming, own) => {
          const { id } = await catalog.requireProject(incoming.param('project'));
          return createCollection(own, id, await body(incoming));
        }),
      },
    },
    {
      path: '/projects/:project/collections/:collection',
      actions: { PUT: 'collection.change', DELETE: 'collection.delete' },
      verbs: {
        GET: admin(200, ({ param }) => viewCollection(catalog, param('project'), param('collection'))),
        PUT: admin(
          200,
          async (incoming, own) => {
            const [project, collection] = [incoming.param('project'), incoming.param('collection')];
            await catalog.use(project, (open) => requireCollection(open, collection), 'fresh');
            return changeCollection(own, log, project, collection, await body(incoming), incoming.query);
          },
          'query',
        ),
        DELETE: admin(
          200,
          ({ param, query }, own) => {
            return deleteCollection(own, param('project'), param('collection'), query);
          },
          'query',
        ),
      },
    },
    {
      path: '/projects/:project/collections/:collection/stats',
      verbs: {
        GET: admin(200, ({ param }) =>
          catalog.use(param('project'), (project) => viewStats(project, param('collection'))),
        ),
      },
    },
    {
      path: '/projects/:project/explain',
      actions: { POST: 'none' },
      verbs: {
        POST: admin(200, async (incoming) => {
          const id = incoming.param('project');
          const { auth } = await catalog.requireProject(id);
          const question = await body(incoming);
          return catalog.use(id, (project) => explain(project, auth, question, now()), 'fresh');
        }),
      },
    },
  ];
}
