import type { Administrators } from '../../administrators.ts';
import type { AccountsAccess } from '../accounts/accounts-access.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { type Sql, sql } from '../tag.ts';

/** Milliseconds between recorded uses: a session may expire that much early, never late. */
const usePrecision = 30_000;

/**
 * Milliseconds for which an expired session is kept: work begun under it, such as a long change of a definition, can finish,
 * which it can't if the session was ended.
 */
const keptFor = 24 * 60 * 60_000;

type SessionCalls = Pick<
  Administrators,
  'openSession' | 'useSession' | 'hasSession' | 'endSession' | 'saveTicket' | 'spendTicket'
>;

/** `idle`: milliseconds without use after which a session expires. */
export function administratorSessions({ read, write }: AccountsAccess, idle: number): SessionCalls {
  return {
    openSession: ({ digest, email, ends, passwordHash }, now) =>
      write(async ({ db }) => {
        // Locked, so that a password changed at the same moment ends this session too.
        const row = await db.row(
          sql`SELECT password FROM ${tables.administrators} WHERE email = ${email}${db.dialect.forUpdate}`,
        );
        if (row?.[0] !== passwordHash) return false;
        const long = now - keptFor;
        await db.run(
          sql`DELETE FROM ${tables.administrator_signins} WHERE ends <= ${long} OR used <= ${long - idle}`,
        );
        await db.run(sql`
          INSERT INTO ${tables.administrator_signins} (digest, email, used, ends)
          VALUES (${digest}, ${email}, ${now}, ${ends})`);
        return true;
      }),
    async useSession(digest, now) {
      const row = await read((db) =>
        db.row(sql`
          SELECT email, used, ends FROM ${tables.administrator_signins}
          WHERE digest = ${digest} AND ends > ${now} AND used > ${now - idle}`),
      );
      if (!row) return undefined;
      const [email, used, ends] = [String(row[0]), Number(row[1]), Number(row[2])];
      if (now - used < usePrecision) return { email, expires: Math.min(used + idle, ends) };
      await write(({ db }) =>
        db.run(sql`
          UPDATE ${tables.administrator_signins} SET used = ${now} WHERE digest = ${digest} AND used < ${now}`),
      );
      return { email, expires: Math.min(now + idle, ends) };
    },
    async hasSession(digest, now) {
      const row = await read((db) =>
        db.row(sql`
          SELECT 1 FROM ${tables.administrator_signins}
          WHERE digest = ${digest} AND ends > ${now} AND used > ${now - idle}`),
      );
      return row !== undefined;
    },
    endSession: (digest) =>
      write(async ({ db }) => {
        const mine = sql`${tables.administrator_signins} WHERE digest = ${digest}`;
        await removeTickets(db, sql`(SELECT email FROM ${mine})`);
        await db.run(sql`DELETE FROM ${mine}`);
      }),
    saveTicket: ({ digest, path, expires, actor }, now) =>
      write(async ({ db }) => {
        await db.run(sql`DELETE FROM ${tables.administrator_tickets} WHERE expires <= ${now}`);
        await db.run(sql`
          INSERT INTO ${tables.administrator_tickets} (digest, path, expires, actor)
          VALUES (${digest}, ${path}, ${expires}, ${actor})`);
      }),
    spendTicket: (digest, path, now) =>
      write(async ({ db }) => {
        const row = await db.row(sql`
          DELETE FROM ${tables.administrator_tickets} WHERE digest = ${digest} RETURNING path, expires, actor`);
        return row?.[0] === path && Number(row[1]) > now ? String(row[2]) : undefined;
      }),
  };
}

/** Tickets are downloads that somebody was allowed but has not made. */
export async function removeTickets(db: Connection, of: Sql): Promise<void> {
  await db.run(sql`DELETE FROM ${tables.administrator_tickets} WHERE actor = ${of}`);
}
