import { Failure } from '../../../failure.ts';
import type { UserDeletion } from '../../accounts.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import { endedOf, endSessions } from './end-sessions.ts';
import { removeFactor, userFactors } from './factors.ts';
import { lockWorkspace } from './members.ts';
import { addDeparture, removeWorkspace } from './remove-workspace.ts';

/** Locks the user, then the workspaces in a fixed order, like everybody who locks several. */
export async function deleteUser(db: Connection, id: string, how: UserDeletion): Promise<boolean> {
  const user = await db.row(sql`SELECT 1 FROM ${tables.users} WHERE id = ${id}${db.dialect.forUpdate}`);
  if (!user) return false;
  const places = await db.rows(
    sql`SELECT workspace FROM ${tables.members} WHERE "user" = ${id} ORDER BY workspace`,
  );
  for (const [workspace] of places) await leave(db, String(workspace), id, how);
  await db.run(sql`DELETE FROM ${tables.users} WHERE id = ${id}`);
  await endSessions(db, sql`"user" IN (${id}, ${endedOf(id)})`);
  await db.run(sql`DELETE FROM ${tables.members} WHERE "user" = ${id}`);
  await db.run(sql`DELETE FROM ${tables.mail_tokens} WHERE "user" = ${id}`);
  await removeFactor(db, userFactors, id);
  await db.run(sql`DELETE FROM ${tables.identities} WHERE account = ${id}`);
  if (how.records === 'delete') await addDeparture(db, id, 'user', how.now);
  return true;
}

/** A workspace with no other members is deleted too; one with others keeps an owner. */
async function leave(db: Connection, workspace: string, user: string, how: UserDeletion): Promise<void> {
  await lockWorkspace(db, workspace);
  const others = sql`${tables.members} WHERE workspace = ${workspace} AND "user" <> ${user}`;
  const longest = await db.row(sql`SELECT "user" FROM ${others} ORDER BY seq LIMIT 1`);
  if (!longest) return removeWorkspace(db, workspace, how.records, how.now);
  if (await db.row(sql`SELECT 1 FROM ${others} AND role = 'owner' LIMIT 1`)) return;
  const own = await db.row(
    sql`SELECT 1 FROM ${tables.members} WHERE workspace = ${workspace} AND "user" = ${user} AND role = 'owner'`,
  );
  if (!own) return;
  if (how.lastOwner === 'refuse') {
    const row = await db.row(sql`SELECT name FROM ${tables.workspaces} WHERE id = ${workspace}`);
    throw new Failure(
      'conflict',
      `You are the last owner of the workspace '${row?.[0]}': make another member its owner, or delete it`,
    );
  }
  await db.run(sql`
    UPDATE ${tables.members} SET role = 'owner' WHERE workspace = ${workspace} AND "user" = ${String(longest[0])}`);
}
