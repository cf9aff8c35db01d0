import type { ColumnValue } from '../../../model/field.ts';
import type { MailLimit } from '../../account-mails.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

const hour = 60 * 60_000;

/**
 * Counts one mail for each limit, or for none if one is reached: then returns after how many milliseconds all would allow it.
 * The times of the last hour are stored in a row that is locked meanwhile, so no two requests see the same slot free. A refusal
 * leaves no rows behind, as it may name anything.
 */
export async function spendLimits(
  db: Connection,
  limits: readonly MailLimit[],
  now: number,
): Promise<number | undefined> {
  const known = await findWait(db, limits, now);
  if (known !== undefined) return known;
  await db.run(sql`DELETE FROM ${tables.mail_limits} WHERE ends <= ${now}`);
  const open: { readonly subject: string; readonly times: readonly number[] }[] = [];
  let wait = 0;
  // In a fixed order, so that there are no deadlocks.
  for (const { subject, most } of limits.toSorted((a, b) => (a.subject < b.subject ? -1 : 1))) {
    const times = await lockTimes(db, subject, now);
    open.push({ subject, times });
    wait = Math.max(wait, waitOf(times, most, now));
  }
  if (wait > 0) return wait;
  for (const { subject, times } of open) {
    const text = JSON.stringify([...times, now]);
    await db.run(
      sql`UPDATE ${tables.mail_limits} SET times = ${text}, ends = ${now + hour} WHERE subject = ${subject}`,
    );
  }
  return undefined;
}

/** After how many milliseconds all limits would allow a mail; undefined: now. */
export async function findWait(
  db: Connection,
  limits: readonly MailLimit[],
  now: number,
): Promise<number | undefined> {
  const subjects = db.dialect.values(
    limits.map(({ subject }) => subject),
    'text',
  );
  const rows = await db.rows(
    sql`SELECT subject, times FROM ${tables.mail_limits} WHERE subject IN (${subjects})`,
  );
  const known = new Map(rows.map(([subject, times]) => [String(subject), readTimes(times, now)]));
  const waits = limits.map(({ subject, most }) => waitOf(known.get(subject) ?? [], most, now));
  const longest = Math.max(0, ...waits);
  return longest > 0 ? longest : undefined;
}

/** The times of the last hour. Times in the future were recorded with a wrong clock. */
function readTimes(text: ColumnValue | undefined, now: number): number[] {
  const times = JSON.parse(String(text ?? '[]')) as number[];
  return times.filter((time) => Math.abs(now - time) < hour);
}

/** Milliseconds until another mail is allowed; 0: now. */
function waitOf(times: readonly number[], most: number, now: number): number {
  const oldest = times.at(-most);
  return oldest === undefined ? 0 : Math.max(0, oldest + hour - now);
}

async function lockTimes(db: Connection, subject: string, now: number): Promise<number[]> {
  await db.run(sql`
    INSERT INTO ${tables.mail_limits} (subject, times, ends) VALUES (${subject}, '[]', ${now + hour})
    ON CONFLICT (subject) DO NOTHING`);
  const row = await db.row(
    sql`SELECT times FROM ${tables.mail_limits} WHERE subject = ${subject}${db.dialect.forUpdate}`,
  );
  return readTimes(row?.[0], now);
}
