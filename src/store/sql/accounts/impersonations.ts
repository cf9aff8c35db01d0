import type { Accounts } from '../../accounts.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';
import { endSessions } from './end-sessions.ts';

/** A session without a refresh token, which the user can see and end like any other. */
export function impersonationCalls({
  write,
}: AccountsAccess): Pick<Accounts, 'openImpersonation' | 'endImpersonations'> {
  return {
    endImpersonations: (impersonator) =>
      write(async ({ db }) => {
        await endSessions(db, sql`impersonator = ${impersonator}`);
      }),
    openImpersonation: ({ id, user, workspace, expires, impersonator, seen }, now) =>
      write(async ({ db }) => {
        const row = await db.row(
          sql`SELECT disabled FROM ${tables.users} WHERE id = ${user}${db.dialect.forUpdate}`,
        );
        if (row?.[0] !== 0) return false;
        await endSessions(db, sql`expires <= ${now}`);
        // `since` is 0, as it is no sign-in of the user: nothing that needs a recent sign-in is allowed.
        await db.run(sql`
          INSERT INTO ${tables.sessions} (id, "user", workspace, expires, used, address, agent, since, impersonator)
          VALUES (
            ${id}, ${user}, ${workspace}, ${expires}, ${seen.used}, ${seen.address}, ${seen.agent}, 0, ${impersonator}
          )`);
        return true;
      }),
  };
}
