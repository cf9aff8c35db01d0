import { v7 as uuidv7 } from 'uuid';
import { impersonate, impersonation } from '../../admin/impersonate.ts';
import { isRefusal } from '../../audit/audit.ts';
import type { AuditResult } from '../../store/audit.ts';
import { findActBy } from '../act-by.ts';
import { findActor } from '../authenticate.ts';
import { addressOf } from '../client-address.ts';
import type { Services } from '../services.ts';
import type { ManagementAccess, ManagementRoute } from './access.ts';

/** Acting for a user. It writes its own audit entry, with the reason. */
export function impersonationRoutes(
  services: Services,
  { adminIn, body }: ManagementAccess,
): ManagementRoute[] {
  return [
    {
      path: '/projects/:project/users/:id/impersonate',
      actions: { POST: 'none' },
      verbs: {
        POST: adminIn(200, async (project, incoming) => {
          const actor = (await findActor(services, incoming.request.headers, '')) ?? '';
          const address = addressOf(services, incoming);
          let finish: ((result: AuditResult) => Promise<void>) | undefined;
          const acting = impersonate(project, {
            ...{
              user: incoming.param('id'),
              body: await body(incoming),
              actor,
              actBy: (await findActBy(services, actor)) ?? '',
              address,
              now: services.now(),
            },
            async note(target) {
              const entry = { actor, action: impersonation, project: project.id, target, address };
              finish = await services.audit.begin({ ...entry, requestId: uuidv7() });
            },
          });
          const answer = await acting.catch(async (error: unknown) => {
            if (isRefusal(error)) await finish?.({ outcome: 'refused' });
            throw error;
          });
          await finish?.({ outcome: 'done' });
          return answer;
        }),
      },
    },
  ];
}
