import {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  replayWebhook,
  rotateSecret,
  testWebhook,
  updateWebhook,
  viewWebhook,
  type WebhookServices,
} from '../../admin/webhooks.ts';
import { changeLog } from '../../webhooks/change-log.ts';
import type { Incoming } from '../route.ts';
import type { Services } from '../services.ts';
import type { ManagementAccess, ManagementRoute } from './access.ts';

/** Webhooks of a project. */
export function webhookRoutes(
  { catalog, now, webhooks: sending }: Services,
  { admin, body }: ManagementAccess,
): ManagementRoute[] {
  const services: WebhookServices = { catalog, now, sending, changes: changeLog };
  const of = (run: (services: WebhookServices, project: string, id: string) => Promise<string>) =>
    admin(200, ({ param }, own) => run({ ...services, catalog: own }, param('project'), param('id')));
  const known = async ({ param }: Incoming) => void (await catalog.requireProject(param('project')));
  const one = '/projects/:project/webhooks/:id';
  return [
    {
      path: '/projects/:project/webhooks',
      actions: { POST: 'webhook.create' },
      verbs: {
        GET: admin(200, ({ param, query }) => listWebhooks(services, param('project'), query), 'query'),
        POST: admin(201, async (incoming, own) => {
          await known(incoming);
          return createWebhook(
            { ...services, catalog: own },
            incoming.param('project'),
            await body(incoming),
          );
        }),
      },
    },
    {
      path: one,
      actions: { PATCH: 'webhook.update', DELETE: 'webhook.delete' },
      verbs: {
        GET: of(viewWebhook),
        PATCH: admin(200, async (incoming, own) => {
          const { param } = incoming;
          await viewWebhook(services, param('project'), param('id'));
          return updateWebhook(
            { ...services, catalog: own },
            param('project'),
            param('id'),
            await body(incoming),
          );
        }),
        DELETE: of(deleteWebhook),
      },
    },
    { path: `${one}/rotate`, actions: { POST: 'webhook.rotate' }, verbs: { POST: of(rotateSecret) } },
    { path: `${one}/test`, actions: { POST: 'webhook.test' }, verbs: { POST: of(testWebhook) } },
    {
      path: `${one}/deliveries`,
      verbs: {
        GET: admin(
          200,
          ({ param, query }) => listDeliveries(services, param('project'), param('id'), query),
          'query',
        ),
      },
    },
    {
      path: `${one}/replay`,
      actions: { POST: 'webhook.replay' },
      verbs: {
        POST: admin(200, async (incoming, own) => {
          const { param } = incoming;
          await viewWebhook(services, param('project'), param('id'));
          return replayWebhook(
            { ...services, catalog: own },
            param('project'),
            param('id'),
            await body(incoming),
          );
        }),
      },
    },
  ];
}
