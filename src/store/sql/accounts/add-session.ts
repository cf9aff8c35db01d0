import type { NewSession } from '../../accounts.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** A session with its first refresh token. */
export async function addSession(
  db: Connection,
  { id, user, workspace, tokenDigest, expires, seen }: NewSession,
): Promise<void> {
  await db.run(sql`
    INSERT INTO ${tables.sessions} (id, "user", workspace, expires, used, address, agent)
    VALUES (${id}, ${user}, ${workspace}, ${expires}, ${seen.used}, ${seen.address}, ${seen.agent})`);
  await addToken(db, tokenDigest, id, expires);
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
