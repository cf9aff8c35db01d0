import type { Settlement } from '../../webhooks.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** How many settled deliveries are kept, for people to read. */
const mostKept = 1_000;
/** Older ones are removed after every 100th delivery. */
const cleanEvery = 100;

/** Stores the outcome of an attempt. Does nothing if another process has made one meanwhile. */
export async function settle(db: Connection, settlement: Settlement): Promise<void> {
  const { webhook, n, attempt, outcome, now } = settlement;
  await lockFailing(db, webhook, outcome.kind === 'failed');
  // By the primary key alone: with more conditions, PostgreSQL may go through all that wait.
  const row = await db.row(sql`
    SELECT collection, record, state, attempt FROM ${tables.webhook_deliveries}
    WHERE webhook = ${webhook} AND n = ${n}${db.dialect.forUpdate}`);
  if (row?.[2] !== 'waiting' || Number(row[3]) !== attempt) return;
  const record = { collection: String(row[0]), record: String(row[1]) };
  switch (outcome.kind) {
    case 'void':
      await db.run(sql`DELETE FROM ${tables.webhook_deliveries} WHERE webhook = ${webhook} AND n = ${n}`);
      return release(db, webhook, record, now);
    case 'delivered':
      await write(db, settlement, 'delivered', null);
      await release(db, webhook, record, now);
      return succeeded(db, webhook);
    case 'failed':
      await write(db, settlement, outcome.nextAt === null ? 'failed' : 'waiting', outcome.nextAt);
      if (outcome.nextAt === null) await release(db, webhook, record, now);
      else await keepNewest(db, webhook, record);
      return failed(db, webhook, outcome.pause, now);
  }
}

interface RecordPlace {
  readonly collection: string;
  readonly record: string;
}

async function write(
  db: Connection,
  { webhook, n, attempt, code, reason, ms, now }: Settlement,
  state: 'delivered' | 'waiting' | 'failed',
  nextAt: number | null,
): Promise<void> {
  await db.run(sql`
    UPDATE ${tables.webhook_deliveries}
    SET state = ${state}, attempt = ${attempt + 1}, code = ${code}, reason = ${reason}, ms = ${ms}, at = ${now},
      next_at = ${nextAt}
    WHERE webhook = ${webhook} AND n = ${n}`);
  if (n % cleanEvery !== 0) return;
  await db.run(sql`
    DELETE FROM ${tables.webhook_deliveries}
    WHERE webhook = ${webhook} AND n <= ${n - mostKept} AND state <> 'waiting'`);
}

/** The waiting changes of a record behind its first one. */
export const followers = (webhook: string, { collection, record }: RecordPlace) => sql`
  webhook = ${webhook} AND collection = ${collection} AND record = ${record} AND state = 'waiting' AND next_at IS NULL`;

/**
 * Makes the next change of the record due. `+n`, as for the smallest `n` an engine would go through all rows of the webhook in
 * the order of their key, though few are of the record: 0.3 ms instead of 2 µs on SQLite, with 1,400 rows.
 */
async function release(db: Connection, webhook: string, place: RecordPlace, now: number): Promise<void> {
  await db.run(sql`
    UPDATE ${tables.webhook_deliveries} SET next_at = ${now}
    WHERE webhook = ${webhook} AND n = (
      SELECT min(+n) FROM ${tables.webhook_deliveries} WHERE ${followers(webhook, place)}
    )`);
}

/** Only the last of the changes behind one that failed is kept. */
async function keepNewest(db: Connection, webhook: string, place: RecordPlace): Promise<void> {
  await db.run(sql`
    DELETE FROM ${tables.webhook_deliveries}
    WHERE ${followers(webhook, place)} AND n < (
      SELECT max(+n) FROM ${tables.webhook_deliveries} WHERE ${followers(webhook, place)}
    )`);
}

/** Locks the webhook before its deliveries, as `take` does, so that the two never wait for each other. */
async function lockFailing(db: Connection, webhook: string, fails: boolean): Promise<void> {
  const failing = sql`SELECT 1 FROM ${tables.webhooks} WHERE id = ${webhook} AND (failures > 0 OR ${Number(fails)} = 1)`;
  await db.row(sql`${failing}${db.dialect.forUpdate}`);
}

/** Most webhooks had no failures before: then nothing is written, and none waits for another. */
async function succeeded(db: Connection, webhook: string): Promise<void> {
  const row = await db.row(sql`SELECT failures FROM ${tables.webhooks} WHERE id = ${webhook}`);
  if (Number(row?.[0]) === 0) return;
  await db.run(sql`UPDATE ${tables.webhooks} SET failures = 0, failing_since = NULL WHERE id = ${webhook}`);
}

async function failed(db: Connection, webhook: string, pause: string | null, now: number): Promise<void> {
  await db.run(sql`
    UPDATE ${tables.webhooks}
    SET failures = failures + 1, failing_since = COALESCE(failing_since, ${now}), paused = COALESCE(paused, ${pause})
    WHERE id = ${webhook}`);
}
