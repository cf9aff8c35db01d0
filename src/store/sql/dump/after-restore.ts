import type { Awaitable } from '../../../awaitable.ts';
import { endInvitations, nameOwners } from '../accounts/members.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/**
 * What was going on in a project when its backup was made is dropped when it is restored: one entry for each group of tables.
 * What a dump leaves out, such as the change log, needs none.
 */
const ends: readonly ((db: Connection) => Awaitable<void>)[] = [endSessions, dropMails, settleMembers];

export async function endWhatWaited(db: Connection): Promise<void> {
  for (const end of ends) await end(db);
}

/** A backup of an older format may have workspaces without an owner. */
async function settleMembers(db: Connection): Promise<void> {
  await nameOwners(db, sql`true`);
  await endInvitations(db, sql`true`);
}

/** Refresh tokens in a backup may have been spent or revoked since. */
async function endSessions(db: Connection): Promise<void> {
  await db.run(sql`DELETE FROM ${tables.refresh_tokens}`);
  await db.run(sql`DELETE FROM ${tables.sessions}`);
}

/** Mails that were to be sent then, and tokens that were sent but not used: by now they may have been. */
async function dropMails(db: Connection): Promise<void> {
  await db.run(sql`DELETE FROM ${tables.outbox}`);
  await db.run(sql`DELETE FROM ${tables.mail_tokens}`);
}
