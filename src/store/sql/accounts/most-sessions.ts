import { Failure } from '../../../failure.ts';
import type { NewSession } from '../../accounts.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import { endedOf, endSessions } from './end-sessions.ts';

/** Sessions of one user: a client that signs in or switches its workspace in a loop would make lists that nobody else can wait for. */
const mostSessions = 10_000;
const endedAtOnce = 1_000;

/**
 * Where a user has as many, the sign-ins end that were not used for longest, some at a time. Each ends with all that grew out of it:
 * nobody is to be rid of the session of a stolen token by making many others out of it, so its own never ends for a new one.
 */
export async function makeRoom(db: Connection, { id, user, seen, proof }: NewSession): Promise<void> {
  const own = sql`${tables.sessions} WHERE "user" IN (${user}, ${endedOf(user)})`;
  const many = await db.row(sql`SELECT 1 FROM ${own} LIMIT 1 OFFSET ${mostSessions - 1}`);
  if (!many) return;
  const origin = 'session' in proof ? proof.session : id;
  const began = await db.row(sql`SELECT since FROM ${tables.sessions} WHERE id = ${origin}`);
  const since = Number(began?.[0] ?? seen.used);
  const rows = await db.rows(sql`
    SELECT since, min(id) FROM ${own} AND id NOT IN (${id}, ${origin}) AND (since = 0 OR since <> ${since})
    GROUP BY since, CASE WHEN since = 0 THEN id ELSE '' END ORDER BY max(used), 2 LIMIT ${endedAtOnce}`);
  if (rows.length === 0) {
    throw new Failure(
      'conflict',
      `There are ${mostSessions} sessions of this sign-in already: sign in again, which ends them in time`,
    );
  }
  const known = rows.flatMap(([began]) => (Number(began) > 0 ? [Number(began)] : []));
  const others = rows.flatMap(([began, session]) => (Number(began) > 0 ? [] : [String(session)]));
  const [signIns, ids] = [db.dialect.values(known, 'integer'), db.dialect.values(others, 'text')];
  await endSessions(
    db,
    sql`"user" IN (${user}, ${endedOf(user)}) AND (since IN (${signIns}) OR id IN (${ids}))`,
  );
}
