import type { Route } from '../route.ts';
import type { Services } from '../services.ts';
import { managementAccess } from './access.ts';
import { administratorRoutes } from './administrator-routes.ts';
import { collectionRoutes } from './collection-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { projectRoutes } from './project-routes.ts';
import { userRoutes } from './user-routes.ts';
import { workspaceRoutes } from './workspace-routes.ts';

/** A file for each group of calls; a new group is one more here. */
// biome-ignore format: one a line
const groups = [
  administratorRoutes,
  projectRoutes,
  collectionRoutes,
  userRoutes,
  workspaceRoutes,
  keyRoutes,
];

/** /v1/_admin: management. */
export function managementRoutes(services: Services): Route[] {
  const access = managementAccess(services);
  const routes = groups.flatMap((group) => group(services, access));
  return routes.map((route) => ({ ...route, path: `/v1/_admin${route.path}`, cors: false }));
}
