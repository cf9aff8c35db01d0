import { Failure } from '../../../failure.ts';
import type { NewSession } from '../../accounts.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import { endedOf, endSessions } from './end-sessions.ts';

/**
 * The most sessions of one user. A client that signs in, or switches workspaces, in a loop would make lists that hold up
 * everybody else.
 */
const mostSessions = 10_000;
const endedAtOnce = 1_000; // or more, as the last sign-in ends as a whole

/**
 * Ends sessions of a user who has too many: a sign-in that makes enough room by itself, as a loop of switches does, or else
 * those that were unused for longest. A sign-in ends with all sessions that grew out of it. The sign-in of the new session
 * never ends: otherwise the holder of a stolen token could get rid of that token's session by growing many others out of it.
 * Where nearly all sessions are of that sign-in the others stay too, as ending them would not make room for long.
 */
export async function makeRoom(db: Connection, { id, user, seen, proof }: NewSession): Promise<void> {
  const own = sql`${tables.sessions} WHERE "user" IN (${user}, ${endedOf(user)})`;
  const many = await db.row(sql`SELECT 1 FROM ${own} LIMIT 1 OFFSET ${mostSessions - 1}`);
  if (!many) return;
  const origin = 'session' in proof ? proof.session : id;
  const began = await db.row(sql`SELECT since FROM ${tables.sessions} WHERE id = ${origin}`);
  const since = Number(began?.[0] ?? seen.used);
  const rows = await db.rows(sql`
    SELECT since, min(id), count(*) FROM ${own} AND id NOT IN (${id}, ${origin}) AND (since = 0 OR since <> ${since})
    GROUP BY since, CASE WHEN since = 0 THEN id ELSE '' END
    ORDER BY CASE WHEN count(*) >= ${endedAtOnce} THEN 0 ELSE 1 END, max(used), 2 LIMIT ${endedAtOnce}`);
  let freed = 0;
  const ending = rows.filter(([, , sessions]) => {
    if (freed >= endedAtOnce) return false;
    freed += Number(sessions);
    return true;
  });
  if (freed < endedAtOnce) {
    throw new Failure(
      'conflict',
      `There are ${mostSessions} sessions, nearly all of this sign-in: sign in again, which ends them`,
    );
  }
  const known = ending.flatMap(([began]) => (Number(began) > 0 ? [Number(began)] : []));
  const others = ending.flatMap(([began, session]) => (Number(began) > 0 ? [] : [String(session)]));
  const [signIns, ids] = [db.dialect.values(known, 'integer'), db.dialect.values(others, 'text')];
  await endSessions(
    db,
    sql`"user" IN (${user}, ${endedOf(user)}) AND (since IN (${signIns}) OR id IN (${ids}))`,
  );
}
