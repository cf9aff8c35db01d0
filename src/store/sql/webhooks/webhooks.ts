import { mostWebhooks, type Webhook, type WebhookChange, type Webhooks } from '../../webhooks.ts';
import type { AccountsAccess } from '../accounts/accounts-access.ts';
import { accessAs } from '../accounts/check-authority.ts';
import { later } from '../accounts/later.ts';
import { paged } from '../accounts/paged.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import { deliveryCalls } from './deliveries.ts';
import { readWebhook, webhookColumns } from './rows.ts';

export function sqlWebhooks(access: AccountsAccess): Webhooks {
  const { read, write } = access;
  return {
    as: (authority) => sqlWebhooks(accessAs(access, authority)),
    ...deliveryCalls(access),
    list: (page) =>
      read((db) => paged(db, webhookColumns.text, tables.webhooks, page, ['created', 'id'], readWebhook)),
    find: (id) => read((db) => find(db, id)),
    active: () =>
      read(async (db) => {
        const rows = await db.rows(
          sql`SELECT ${webhookColumns} FROM ${tables.webhooks} WHERE paused IS NULL ORDER BY created, id`,
        );
        return rows.map(readWebhook);
      }),
    create: (webhook) =>
      write(async ({ db }) => {
        await db.dialect.lockName(db, 'webhooks');
        const row = await db.row(sql`SELECT count(*) FROM ${tables.webhooks}`);
        if (Number(row?.[0]) >= mostWebhooks) return false;
        const { id, name, url, collections, kinds, fields, secret, position, created } = webhook;
        await db.run(sql`
          INSERT INTO ${tables.webhooks} (id, name, url, collections, kinds, fields, secret, paused, position, created, updated)
          VALUES (${id}, ${name}, ${url}, ${JSON.stringify(collections)}, ${JSON.stringify(kinds)},
            ${fields && JSON.stringify(fields)}, ${secret}, NULL, ${position}, ${created}, ${created})`);
        return true;
      }),
    update: (id, change, now) =>
      write(async ({ db }) => {
        const webhook = await find(db, id, true);
        if (!webhook) return undefined;
        await save(db, changed(webhook, change), now);
        if (webhook.paused !== null && change.paused === false) await tryAtOnce(db, id, now);
        return find(db, id);
      }),
    rewind: (id, position, now) =>
      write(async ({ db }) => {
        const moved = await db.run(sql`
          UPDATE ${tables.webhooks} SET position = ${position}, updated = ${later(now)} WHERE id = ${id}`);
        if (moved === 0) return false;
        // They come again from the log.
        await db.run(
          sql`DELETE FROM ${tables.webhook_deliveries} WHERE webhook = ${id} AND state = 'waiting'`,
        );
        return true;
      }),
    delete: (id) =>
      write(async ({ db }) => {
        if ((await db.run(sql`DELETE FROM ${tables.webhooks} WHERE id = ${id}`)) === 0) return false;
        await db.run(sql`DELETE FROM ${tables.webhook_deliveries} WHERE webhook = ${id}`);
        return true;
      }),
  };
}

async function find(db: Connection, id: string, toChange = false): Promise<Webhook | undefined> {
  const query = sql`SELECT ${webhookColumns} FROM ${tables.webhooks} WHERE id = ${id}`;
  const row = await db.row(toChange ? sql`${query}${db.dialect.forUpdate}` : query);
  return row && readWebhook(row);
}

function changed(webhook: Webhook, { secret, paused, ...settings }: WebhookChange): Webhook {
  const resumes = paused === false && webhook.paused !== null;
  return {
    ...webhook,
    ...settings,
    ...(secret && { secret: secret.next, former: { secret: webhook.secret, until: secret.until } }),
    ...(paused === true && { paused: webhook.paused ?? 'manual' }),
    ...(resumes && { paused: null, failures: 0, failingSince: null }),
  };
}

async function save(db: Connection, webhook: Webhook, now: number): Promise<void> {
  const { id, name, url, collections, kinds, fields, secret, former, paused, failures, failingSince } =
    webhook;
  await db.run(sql`
    UPDATE ${tables.webhooks} SET name = ${name}, url = ${url}, collections = ${JSON.stringify(collections)},
      kinds = ${JSON.stringify(kinds)}, fields = ${fields && JSON.stringify(fields)}, secret = ${secret},
      former = ${former?.secret ?? null}, former_until = ${former?.until ?? null}, paused = ${paused},
      failures = ${failures}, failing_since = ${failingSince}, updated = ${later(now)}
    WHERE id = ${id}`);
}

async function tryAtOnce(db: Connection, id: string, now: number): Promise<void> {
  await db.run(sql`
    UPDATE ${tables.webhook_deliveries} SET next_at = ${now} WHERE webhook = ${id} AND next_at IS NOT NULL`);
}
