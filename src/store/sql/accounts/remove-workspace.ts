import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** Deletes a workspace with its members and invitations; its records stay, or are deleted later. */
export async function removeWorkspace(
  db: Connection,
  id: string,
  records: 'keep' | 'delete',
  now: number,
): Promise<void> {
  await db.run(sql`DELETE FROM ${tables.workspaces} WHERE id = ${id}`);
  await db.run(sql`DELETE FROM ${tables.members} WHERE workspace = ${id}`);
  await db.run(sql`DELETE FROM ${tables.invitations} WHERE workspace = ${id}`);
  if (records === 'delete') await addDeparture(db, id, 'workspace', now);
}

/** Notes that the records of a user or workspace are to be deleted. The note survives a restart. */
export async function addDeparture(
  db: Connection,
  id: string,
  kind: 'user' | 'workspace',
  now: number,
): Promise<void> {
  await db.run(sql`INSERT INTO ${tables.departures} (id, kind, created) VALUES (${id}, ${kind}, ${now})`);
}
