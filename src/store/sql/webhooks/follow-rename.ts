import type { Renames } from '../../../model/carry.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import { readWebhook, webhookColumns } from './rows.ts';

/**
 * Webhooks name a collection and its fields, so they follow when these are renamed, and so does what waits to be sent. A
 * `refetch` that waits keeps its name: another one follows for the new one. All webhooks are locked first, as
 * `take` does: what it adds meanwhile is either there by now, or refused for its schema.
 */
export async function renameInWebhooks(
  db: Connection,
  { from, to }: { readonly from: string; readonly to: string },
  fields: Renames,
): Promise<void> {
  if (from === to && fields.size === 0) return;
  const renamed = new Map([...fields].map(([name, before]) => [before, name]));
  const rows = await db.rows(
    sql`SELECT ${webhookColumns} FROM ${tables.webhooks} ORDER BY id${db.dialect.forUpdate}`,
  );
  for (const webhook of rows.map(readWebhook)) {
    if (!webhook.collections.includes(from)) continue;
    const collections = new Set(webhook.collections.map((name) => (name === from ? to : name)));
    const shown = webhook.fields && [...new Set(webhook.fields.map((name) => renamed.get(name) ?? name))];
    await db.run(sql`
      UPDATE ${tables.webhooks}
      SET collections = ${JSON.stringify([...collections])}, fields = ${shown ? JSON.stringify(shown) : null}
      WHERE id = ${webhook.id}`);
  }
  if (from === to) return;
  const { webhook_deliveries: deliveries } = tables;
  const waiting = sql`WHERE state = 'waiting' AND collection = ${from} AND kind <> 'refetch'`;
  // In the order in which `take` and `settle` lock them.
  await db.rows(sql`SELECT n FROM ${deliveries} ${waiting} ORDER BY webhook, n${db.dialect.forUpdate}`);
  await db.run(sql`UPDATE ${deliveries} SET collection = ${to} ${waiting}`);
}
