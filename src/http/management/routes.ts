import type { Route } from '../route.ts';
import type { Services } from '../services.ts';
import { type ManagementRoute, managementAccess } from './access.ts';
import { administratorRoutes } from './administrator-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { audited } from './audited.ts';
import { backupRoutes } from './backup-routes.ts';
import { collectionRoutes } from './collection-routes.ts';
import { impersonationRoutes } from './impersonation-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { projectRoutes } from './project-routes.ts';
import { userRoutes } from './user-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';
import { workspaceRoutes } from './workspace-routes.ts';

/** One file per group of calls; add new groups here. */
// biome-ignore format: one a line
const groups = [
  administratorRoutes,
  projectRoutes,
  collectionRoutes,
  userRoutes,
  impersonationRoutes,
  workspaceRoutes,
  keyRoutes,
  auditRoutes,
  backupRoutes,
  webhookRoutes,
];

/** /v1/_admin: management. */
export function managementRoutes(services: Services): Route[] {
  return listRoutes(services)
    .map((route) => audited(services, route))
    .map(({ path, verbs }) => ({ path: `/v1/_admin${path}`, verbs, cors: false }));
}

/** The routes without auditing. */
export function listRoutes(services: Services): ManagementRoute[] {
  const access = managementAccess(services);
  return groups.flatMap((group) => group(services, access));
}
