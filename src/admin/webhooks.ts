import { v7 as uuidv7 } from 'uuid';
import type { Catalog } from '../catalog/catalog.ts';
import type { Project } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import { formatInstant } from '../model/instant.ts';
import type { JsonObject } from '../model/json.ts';
import { pageJson, readPage } from '../query/page.ts';
import { type Delivery, mostWebhooks, type Webhook } from '../store/webhooks.ts';
import type { ChangeLog } from '../webhooks/change-log.ts';
import { testMessage } from '../webhooks/message.ts';
import { readNewWebhook, readWebhookChange } from '../webhooks/read-webhook.ts';
import { succeeded } from '../webhooks/schedule.ts';
import { type SendOptions, send } from '../webhooks/send.ts';
import { makeSecret } from '../webhooks/sign.ts';
import { webhookWork } from '../webhooks/work.ts';

/** Milliseconds for which requests are signed with the former secret too. */
const formerSigns = 24 * 3_600_000;

export interface WebhookServices {
  readonly catalog: Catalog;
  readonly sending: SendOptions;
  readonly changes: (project: Project) => ChangeLog;
  readonly now: () => number;
}

export async function listWebhooks(
  { catalog }: WebhookServices,
  project: string,
  query: string,
): Promise<string> {
  const page = readPage(query);
  const { total, found } = await catalog.use(project, ({ store }) => store.webhooks.list(page), 'fresh');
  return pageJson(page, total, found.map(webhookResult));
}

/** Only this response and that of `rotate` contain the secret. */
export async function createWebhook(
  { catalog, sending, changes, now }: WebhookServices,
  id: string,
  body: JsonObject,
): Promise<string> {
  const made = await catalog.use(
    id,
    async (project) => {
      const settings = readNewWebhook(body, project, sending.allowed);
      const position = await changes(project).now();
      const webhook = { ...settings, id: uuidv7(), secret: makeSecret(), position, created: now() };
      const { webhooks } = project.store;
      if (!(await catalog.coordination.announceWork(webhookWork, id, () => webhooks.create(webhook))))
        throw new Failure('conflict', `There are ${mostWebhooks} webhooks already: delete one first`);
      return present(await webhooks.find(webhook.id), webhook.id);
    },
    'fresh',
  );
  return JSON.stringify({ ...webhookResult(made), secret: made.secret });
}

export async function viewWebhook(
  { catalog }: WebhookServices,
  project: string,
  id: string,
): Promise<string> {
  return JSON.stringify(webhookResult(await find(catalog, project, id)));
}

export async function updateWebhook(
  { catalog, sending, now }: WebhookServices,
  project: string,
  id: string,
  body: JsonObject,
): Promise<string> {
  const changed = await catalog.use(
    project,
    async (open) => {
      const { webhooks } = open.store;
      const before = present(await webhooks.find(id), id);
      const change = readWebhookChange(body, open, before, sending.allowed);
      return catalog.coordination.announceWork(webhookWork, project, () =>
        webhooks.update(id, change, now()),
      );
    },
    'fresh',
  );
  return JSON.stringify(webhookResult(present(changed, id)));
}

export async function deleteWebhook(
  { catalog }: WebhookServices,
  project: string,
  id: string,
): Promise<string> {
  const deleted = await catalog.use(project, ({ store }) => store.webhooks.delete(id), 'fresh');
  if (!deleted) throw noWebhook(id);
  return JSON.stringify({ _id: id });
}

export async function rotateSecret(
  { catalog, now }: WebhookServices,
  project: string,
  id: string,
): Promise<string> {
  const secret = { next: makeSecret(), until: now() + formerSigns };
  const changed = await catalog.use(
    project,
    ({ store }) => store.webhooks.update(id, { secret }, now()),
    'fresh',
  );
  return JSON.stringify({ ...webhookResult(present(changed, id)), secret: secret.next });
}

/** Sends a harmless test message at once. Only the status of the receiver's response is returned. */
export async function testWebhook(
  { catalog, sending, now }: WebhookServices,
  project: string,
  id: string,
): Promise<string> {
  const webhook = await find(catalog, project, id);
  const outcome = await send(testMessage(webhook, `test_${uuidv7()}`, now()), sending);
  return JSON.stringify({
    delivered: succeeded(outcome),
    code: outcome.kind === 'answered' ? outcome.status : null,
    reason: outcome.kind === 'unanswered' ? outcome.reason : null,
    ms: outcome.ms,
  });
}

export async function listDeliveries(
  { catalog, changes }: WebhookServices,
  project: string,
  id: string,
  query: string,
): Promise<string> {
  const page = readPage(query);
  return catalog.use(
    project,
    async (open) => {
      present(await open.store.webhooks.find(id), id);
      const { total, found } = await open.store.webhooks.deliveries(id, page);
      return pageJson(
        page,
        total,
        found.map((delivery) => deliveryResult(delivery, changes(open).publicPosition(delivery.position))),
      );
    },
    'fresh',
  );
}

/** Sends all changes after a position again. */
export async function replayWebhook(
  { catalog, changes, now }: WebhookServices,
  project: string,
  id: string,
  body: JsonObject,
): Promise<string> {
  const form = new Form(body, ['after']);
  const after = form.text('after', { least: 0, most: 1_000 });
  form.done();
  const rewound = await catalog.use(
    project,
    async (open) => {
      const { webhooks } = open.store;
      present(await webhooks.find(id), id);
      const position = await changes(open).read(after);
      return catalog.coordination.announceWork(webhookWork, project, () =>
        webhooks.rewind(id, position, now()),
      );
    },
    'fresh',
  );
  if (!rewound) throw noWebhook(id);
  return '{}';
}

async function find(catalog: Catalog, project: string, id: string): Promise<Webhook> {
  return present(await catalog.use(project, ({ store }) => store.webhooks.find(id), 'fresh'), id);
}

function present(webhook: Webhook | undefined, id: string): Webhook {
  if (!webhook) throw noWebhook(id);
  return webhook;
}

const noWebhook = (id: string) => new Failure('absent', `There is no webhook '${id}'`);

function webhookResult(webhook: Webhook): object {
  const { id, name, url, collections, kinds, fields, paused, failures, failingSince } = webhook;
  return {
    ...{ _id: id, name, url, collections, kinds, fields },
    ...{ paused: paused !== null, pausedBecause: paused },
    ...{ failures, failingSince: failingSince === null ? null : formatInstant(failingSince) },
    ...{ _createdAt: formatInstant(webhook.created), _updatedAt: formatInstant(webhook.updated) },
  };
}

/** Of the receiver's response, it contains only the status. */
function deliveryResult(delivery: Delivery, position: string): object {
  const { kind, collection, id, state, attempt, code, reason, ms, at, nextAt } = delivery;
  const instant = (time: number | null) => (time === null ? null : formatInstant(time));
  return {
    ...{ position, kind, collection, _id: id, attempt, status: state, code, reason, ms },
    ...{ at: instant(at ?? delivery.changed), nextAt: instant(nextAt) },
  };
}
