import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** Format 6: webhooks and their deliveries. */
export async function addWebhookTables(db: Connection): Promise<void> {
  await db.run(sql`
    CREATE TABLE ${tables.webhooks} (
      id text PRIMARY KEY, name text NOT NULL, url text NOT NULL, collections text NOT NULL, kinds text NOT NULL,
      fields text, secret text NOT NULL, former text, former_until bigint, paused text DEFAULT 'restored',
      position text NOT NULL DEFAULT '', last_n bigint NOT NULL DEFAULT 0, failures bigint NOT NULL DEFAULT 0,
      failing_since bigint, created bigint NOT NULL, updated bigint NOT NULL
    )`);
  await db.run(sql`
    CREATE TABLE ${tables.webhook_deliveries} (
      webhook text NOT NULL, n bigint NOT NULL, position text NOT NULL, kind text NOT NULL, collection text NOT NULL,
      record text NOT NULL, changed bigint NOT NULL, state text NOT NULL, attempt bigint NOT NULL, code bigint,
      reason text, ms bigint, at bigint, next_at bigint, PRIMARY KEY (webhook, n)
    )`);
  await db.run(sql`
    CREATE INDEX webhook_due ON ${tables.webhook_deliveries} (webhook, next_at) WHERE next_at IS NOT NULL`);
  await db.run(sql`
    CREATE INDEX webhook_waiting ON ${tables.webhook_deliveries} (webhook, record) WHERE state = 'waiting'`);
}
