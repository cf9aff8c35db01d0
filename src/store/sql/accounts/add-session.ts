import type { NewSession } from '../../accounts.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** A session with its first refresh token. */
export async function addSession(
  db: Connection,
  { id, user, workspace, tokenDigest, expires, seen, proof }: NewSession,
): Promise<void> {
  // A session derived from another is no new sign-in.
  const since =
    'session' in proof
      ? sql`coalesce((SELECT since FROM ${tables.sessions} WHERE id = ${proof.session}), 0)`
      : sql`${seen.used}`;
  await Promise.all([
    db.run(sql`
      INSERT INTO ${tables.sessions} (id, "user", workspace, expires, used, address, agent, since)
      VALUES (${id}, ${user}, ${workspace}, ${expires}, ${seen.used}, ${seen.address}, ${seen.agent}, ${since})`),
    addToken(db, tokenDigest, id, expires),
  ]);
}

export async function addToken(
  db: Connection,
  digest: string,
  session: string,
  expires: number,
): Promise<void> {
  await db.run(
    sql`INSERT INTO ${tables.refresh_tokens} (digest, session, expires) VALUES (${digest}, ${session}, ${expires})`,
  );
}
