import type { Accounts } from '../../../accounts.ts';
import { sql } from '../../../sql/tag.ts';
import type { Database } from '../database.ts';
import type { WriteStep } from '../writer.ts';
import { keyCalls } from './keys.ts';
import { sessionCalls } from './sessions.ts';
import { userCalls } from './users.ts';
import { workspaceCalls } from './workspaces.ts';

/** How the account calls reach the file: reads by one connection, writes in the groups of the other. */
export interface Reach {
  read<T>(work: (db: Database) => T): Promise<T>;
  write<T>(step: WriteStep<T>): Promise<T>;
}

export function sqliteAccounts(reach: Reach): Accounts {
  return {
    signingKey: () =>
      reach.read((db) => {
        const row = db.row(sql`SELECT value FROM secrets WHERE name = 'signing'`);
        return Buffer.from(String(row?.[0]), 'base64url');
      }),
    ...sessionCalls(reach),
    ...userCalls(reach),
    ...workspaceCalls(reach),
    ...keyCalls(reach),
  };
}
