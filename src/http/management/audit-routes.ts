import { listAudit } from '../../admin/audit.ts';
import type { Services } from '../services.ts';
import type { ManagementAccess, ManagementRoute } from './access.ts';

/** The audit. */
export function auditRoutes({ catalog }: Services, { admin }: ManagementAccess): ManagementRoute[] {
  return [
    { path: '/audit', verbs: { GET: admin(200, ({ query }) => listAudit(catalog.audit, query), 'query') } },
  ];
}
