import type { Accounts } from '../../accounts.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';

export function sessionAgeCalls({ read }: AccountsAccess): Pick<Accounts, 'signedInAt'> {
  return {
    async signedInAt(session) {
      const row = await read((db) => db.row(sql`SELECT since FROM ${tables.sessions} WHERE id = ${session}`));
      return row && Number(row[0]);
    },
  };
}
