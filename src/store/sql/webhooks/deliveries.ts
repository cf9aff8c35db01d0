import { setImmediate as turn } from 'node:timers/promises';
import type { Backlog, Intake, Waiting, Webhooks } from '../../webhooks.ts';
import type { AccountsAccess } from '../accounts/accounts-access.ts';
import { paged } from '../accounts/paged.ts';
import type { Connection } from '../dialect.ts';
import { readSchemaVersion } from '../schema/load-schema.ts';
import { tables } from '../tables.ts';
import { raw, type Sql, sql } from '../tag.ts';
import { deliveryColumns, readDelivery, readWaiting, waitingColumns } from './rows.ts';
import { followers, settle } from './settle.ts';

type DeliveryCalls = Pick<Webhooks, 'deliveries' | 'take' | 'due' | 'misdated' | 'settle' | 'backlog'>;

/**
 * Nothing is put off for longer than these milliseconds, whatever the receiver asks for: what is due later was written by a
 * wrong clock.
 */
const longestWait = 25 * 60 * 60_000;
/** How far clocks may differ without being wrong. */
const slightly = 60_000;
/** How many put-off rows are gone through before others are served: 1,000 take 0.4 ms on SQLite. */
const atOnce = 1_000;

/**
 * A row for each change that a webhook took from the log. Of the waiting rows of one record only the first has a time at which
 * it is due; when it is settled, the next gets one.
 */
export function deliveryCalls({ read, write }: AccountsAccess): DeliveryCalls {
  return {
    deliveries: (id, page) =>
      read((db) => {
        const from = sql`${tables.webhook_deliveries} WHERE webhook = ${id}`;
        return paged(db, deliveryColumns, from, page, ['-n'], readDelivery);
      }),
    take: (intake) => write(({ db }) => take(db, intake)),
    due: (id, now, limit, first) =>
      read(async (db) => {
        const order = raw(first === 'oldest' ? 'next_at, n' : 'attempt, next_at, n');
        const find = (when: Sql) =>
          db.rows(sql`
            SELECT ${raw(waitingColumns)} FROM ${tables.webhook_deliveries}
            WHERE webhook = ${id} AND ${when} ORDER BY ${order} LIMIT ${limit}`);
        const rows = await find(sql`next_at <= ${now}`);
        const found = rows.length > 0 ? rows : await find(sql`next_at > ${now + longestWait}`);
        return found.map(readWaiting);
      }),
    async misdated(id, now, limit) {
      const found: Waiting[] = [];
      for (let after = now; ; await turn()) {
        const end = await read((db) => endOfSlice(db, id, after));
        const most = limit - found.length;
        found.push(...(await read((db) => misdated(db, id, { now, after, end }, most))));
        if (end === undefined || found.length >= limit) return found;
        after = end;
      }
    },
    settle: (settlement) => write(({ db }) => settle(db, settlement)),
    backlog: (id) => read((db) => backlog(db, id)),
  };
}

/** When the last of so many rows is due that are due after this time; undefined if there are fewer. */
async function endOfSlice(db: Connection, webhook: string, after: number): Promise<number | undefined> {
  const row = await db.row(sql`
    SELECT next_at FROM ${tables.webhook_deliveries}
    WHERE webhook = ${webhook} AND next_at > ${after} ORDER BY next_at LIMIT 1 OFFSET ${atOnce - 1}`);
  return row && Number(row[0]);
}

interface Slice {
  readonly now: number;
  readonly after: number;
  readonly end: number | undefined;
}

/** Those of a slice that were never tried, or were tried in the future. */
async function misdated(
  db: Connection,
  webhook: string,
  { now, after, end }: Slice,
  limit: number,
): Promise<Waiting[]> {
  const upTo = end === undefined ? sql`` : sql` AND next_at <= ${end}`;
  const rows = await db.rows(sql`
    SELECT ${raw(waitingColumns)} FROM ${tables.webhook_deliveries}
    WHERE webhook = ${webhook} AND next_at > ${after}${upTo} AND (attempt = 0 OR at > ${now + slightly})
    ORDER BY next_at, n LIMIT ${limit}`);
  return rows.map(readWaiting);
}

async function take(
  db: Connection,
  { webhook, from, to, schema, changes, anew, now }: Intake,
): Promise<boolean> {
  const row = await db.row(sql`
    SELECT last_n FROM ${tables.webhooks}
    WHERE id = ${webhook} AND position = ${from} AND paused IS NULL${db.dialect.forUpdate}`);
  if (!row || (await readSchemaVersion(db)) !== schema) return false;
  let n = Number(row[0]);
  if (anew)
    await db.run(
      sql`DELETE FROM ${tables.webhook_deliveries} WHERE webhook = ${webhook} AND state = 'waiting'`,
    );
  const waiting = await waitingRecords(db, webhook, changes);
  for (const change of changes) {
    const key = recordKey(change.collection, change.id);
    const before = waiting.get(key);
    n += 1;
    // While a record fails, one change behind it is enough: the newest, which is sent with the record as it is by then.
    if (before !== undefined && before > 0) await removeFollowers(db, webhook, change);
    await insert(db, webhook, { ...change, n, attempt: 0 }, before === undefined ? now : null);
    waiting.set(key, before ?? 0);
  }
  await db.run(sql`UPDATE ${tables.webhooks} SET position = ${to}, last_n = ${n} WHERE id = ${webhook}`);
  return true;
}

const recordKey = (collection: string, id: string | null) => `${collection} ${id ?? ''}`;

/**
 * How often the first waiting change of each of these records was tried. The rows are locked: otherwise the first could be
 * settled at this moment, and nothing would make the new change due.
 */
async function waitingRecords(
  db: Connection,
  webhook: string,
  changes: Intake['changes'],
): Promise<Map<string, number>> {
  const ids = [...new Set(changes.map(({ id }) => id ?? ''))];
  if (ids.length === 0) return new Map();
  const rows = await db.rows(sql`
    SELECT collection, record, attempt FROM ${tables.webhook_deliveries}
    WHERE webhook = ${webhook} AND state = 'waiting' AND record IN (${db.dialect.values(ids, 'text')})
    ORDER BY n${db.dialect.forUpdate}`);
  const tries = new Map<string, number>();
  for (const [collection, record, attempt] of rows) {
    const key = recordKey(String(collection), String(record));
    tries.set(key, Math.max(tries.get(key) ?? 0, Number(attempt)));
  }
  return tries;
}

async function removeFollowers(
  db: Connection,
  webhook: string,
  { collection, id }: Pick<Waiting, 'collection' | 'id'>,
): Promise<void> {
  const which = followers(webhook, { collection, record: id ?? '' });
  await db.run(sql`DELETE FROM ${tables.webhook_deliveries} WHERE ${which}`);
}

async function insert(
  db: Connection,
  webhook: string,
  waiting: Waiting,
  nextAt: number | null,
): Promise<void> {
  const { n, position, kind, collection, id, changed } = waiting;
  await db.run(sql`
    INSERT INTO ${tables.webhook_deliveries}
      (webhook, n, position, kind, collection, record, changed, state, attempt, next_at)
    VALUES (${webhook}, ${n}, ${position}, ${kind}, ${collection}, ${id ?? ''}, ${changed}, 'waiting', 0, ${nextAt})`);
}

/**
 * The condition on `record` makes it use the index of waiting rows; by the primary key it would go through all that are kept. A
 * change behind one that failed is not fresh: it waits as long as that one, and would hold up others.
 */
async function backlog(db: Connection, id: string): Promise<Backlog> {
  const failed = sql`
    SELECT 1 FROM ${tables.webhook_deliveries} AS first
    WHERE first.webhook = ${id} AND first.record = own.record AND first.collection = own.collection
      AND first.state = 'waiting' AND first.attempt > 0`;
  const row = await db.row(sql`
    SELECT count(*), count(*) FILTER (WHERE attempt = 0 AND (next_at IS NOT NULL OR NOT EXISTS (${failed}))), min(next_at)
    FROM ${tables.webhook_deliveries} AS own WHERE webhook = ${id} AND state = 'waiting' AND record >= ''`);
  const [waiting, fresh, nextAt = null] = row ?? [];
  return {
    waiting: Number(waiting),
    fresh: Number(fresh),
    nextAt: nextAt === null ? null : Number(nextAt),
  };
}
