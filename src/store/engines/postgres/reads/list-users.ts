import type { Accounts } from '../../../accounts.ts';
import { isLongList, listUsers, manyUsers } from '../../../sql/accounts/users.ts';
import { tooManyUsers } from '../../../too-slow.ts';
import { gone, type ProjectDatabase } from '../project-database.ts';
import type { ExpensiveReads } from './expensive.ts';

/** The same accounts, except that a list that scans very many users is an expensive read. */
export function withLongLists(
  accounts: Accounts,
  database: ProjectDatabase,
  expensive: ExpensiveReads,
): Accounts {
  return {
    ...accounts,
    as: (authority) => withLongLists(accounts.as(authority), database, expensive),
    async listUsers(page, which, turn) {
      const long = isLongList(page, which) && (await database.accounts.read((db) => db.row(manyUsers)));
      if (!long) return accounts.listUsers(page, which);
      return expensive.inTurn(turn, (db) => listUsers(db, page, which), tooManyUsers).catch(gone);
    },
  };
}
