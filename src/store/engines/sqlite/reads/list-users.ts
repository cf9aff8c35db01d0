import { setImmediate as turn } from 'node:timers/promises';
import type { User, UserFilter } from '../../../accounts.ts';
import type { Page, Paged } from '../../../paged.ts';
import { readUser, userColumns, userConditions } from '../../../sql/accounts/users.ts';
import { tables } from '../../../sql/tables.ts';
import { join, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';

/** Users that are looked at in one go: 2 ms, where each is searched for as many words as there may be. */
const slice = 500;

/**
 * Pages of users, of whom there may be very many, and a word may stand anywhere in their names: in slices, as the thread that looks serves
 * others too, and one list after the other.
 */
export class UserLists {
  #last: Promise<unknown> = Promise.resolve();

  list(db: Database, page: Page, which: UserFilter): Promise<Paged<User>> {
    const mine = this.#last.then(() => listSliced(db, page, which));
    this.#last = mine.catch(() => {});
    return mine;
  }
}

async function listSliced(db: Database, { limit, offset }: Page, which: UserFilter): Promise<Paged<User>> {
  const conditions = userConditions(which);
  const seqs: number[] = [];
  let total = 0;
  for (let last = 0; ; ) {
    const { end, isLast } = endOfSlice(db, last);
    const range = [sql`seq > ${last}`, sql`seq <= ${end}`, ...conditions];
    const found = db.rows(
      sql`SELECT seq FROM ${tables.users} NOT INDEXED WHERE ${join(range, ' AND ')} ORDER BY seq`,
    );
    const first = Math.max(0, offset - total);
    seqs.push(...found.slice(first, first + limit - seqs.length).map(([seq]) => Number(seq)));
    total += found.length;
    if (isLast) return { total, found: readUsers(db, seqs) };
    last = end;
    await turn();
  }
}

function endOfSlice(db: Database, after: number): { readonly end: number; readonly isLast: boolean } {
  const users: Sql = sql`SELECT seq FROM ${tables.users} WHERE seq > ${after} ORDER BY seq LIMIT ${slice}`;
  const [end, count] = db.row(sql`SELECT max(seq), count(*) FROM (${users})`) ?? [];
  return { end: Number(end ?? after), isLast: Number(count) < slice };
}

function readUsers(db: Database, seqs: readonly number[]): User[] {
  const which = db.dialect.values(seqs, 'integer');
  const rows = db.rows(sql`SELECT ${userColumns} FROM ${tables.users} WHERE seq IN (${which}) ORDER BY seq`);
  return rows.map(readUser);
}
