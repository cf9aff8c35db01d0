import type { Accounts } from '../../accounts.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';
import { accessAs } from './check-authority.ts';
import { factorCalls, userFactors } from './factors.ts';
import { identityCalls } from './identities.ts';
import { impersonationCalls } from './impersonations.ts';
import { invitationCalls } from './invitations.ts';
import { keyCalls } from './keys.ts';
import { mailTokenCalls } from './mail-tokens.ts';
import { mailCalls } from './mails.ts';
import { memberCalls } from './members.ts';
import { profileCalls } from './profiles.ts';
import { sessionAgeCalls } from './session-ages.ts';
import { sessionCalls } from './sessions.ts';
import { stepCalls } from './sign-in-steps.ts';
import { userCalls } from './users.ts';
import { workspaceCalls } from './workspaces.ts';

/**
 * Writes that touch several rows lock them in a fixed order to avoid deadlocks: the user, the workspace, their memberships; the
 * user, the sessions, their refresh tokens.
 */
export function sqlAccounts(access: AccountsAccess): Accounts {
  return {
    as: (authority) => sqlAccounts(accessAs(access, authority)),
    async signingKey() {
      const row = await access.read((db) =>
        db.row(sql`SELECT value FROM ${tables.secrets} WHERE name = 'signing'`),
      );
      return Buffer.from(String(row?.[0]), 'base64url');
    },
    ...sessionCalls(access),
    ...userCalls(access),
    ...profileCalls(access),
    ...sessionAgeCalls(access),
    ...factorCalls(access, userFactors),
    ...identityCalls(access),
    ...impersonationCalls(access),
    ...stepCalls(access, tables.sign_in_steps),
    ...workspaceCalls(access),
    ...memberCalls(access),
    ...keyCalls(access),
    ...invitationCalls(access),
    ...mailCalls(access),
    ...mailTokenCalls(access),
  };
}
