import type { ProjectAuthority } from '../../../access/authority.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/**
 * The indexes of the authorities that no longer hold: for reads, in the snapshot that they read in. Takes three queries,
 * however many authorities there are.
 */
export async function findRevoked(
  db: Connection,
  authorities: readonly ProjectAuthority[],
  now: number,
): Promise<number[]> {
  if (authorities.length === 0) return [];
  const users = authorities.filter((one) => one.kind === 'user');
  const keys = authorities.filter((one) => one.kind === 'key');
  const [sessions, members, liveKeys] = await Promise.all([
    liveSessions(
      db,
      users.map(({ session }) => session),
    ),
    memberships(
      db,
      users.filter(({ workspace }) => workspace !== null).map(({ user }) => user),
    ),
    keysOf(
      db,
      keys.map(({ key }) => key),
      now,
    ),
  ]);
  const holds = (one: ProjectAuthority): boolean => {
    if (one.kind === 'key') return liveKeys.has(one.key);
    if (sessions.get(one.session) !== one.user) return false;
    return one.workspace === null || members.has(`${one.user} ${one.workspace}`);
  };
  return authorities.flatMap((one, index) => (holds(one) ? [] : [index]));
}

async function liveSessions(db: Connection, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows(sql`
    SELECT id, "user" FROM ${tables.sessions} WHERE id IN (${db.dialect.values(ids, 'text')})`);
  return new Map(rows.map(([id, user]) => [String(id), String(user)]));
}

async function memberships(db: Connection, users: readonly string[]): Promise<ReadonlySet<string>> {
  if (users.length === 0) return new Set();
  const rows = await db.rows(sql`
    SELECT "user", workspace FROM ${tables.members} WHERE "user" IN (${db.dialect.values(users, 'text')})`);
  return new Set(rows.map(([user, workspace]) => `${user} ${workspace}`));
}

async function keysOf(db: Connection, ids: readonly string[], now: number): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.rows(
    sql`SELECT id FROM ${tables.keys} WHERE id IN (${db.dialect.values(ids, 'text')}) AND (expires IS NULL OR expires > ${now})`,
  );
  return new Set(rows.map(([id]) => String(id)));
}
