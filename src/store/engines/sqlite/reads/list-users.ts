import { setImmediate as turn } from 'node:timers/promises';
import type { User, UserFilter } from '../../../accounts.ts';
import type { Page, Paged } from '../../../paged.ts';
import {
  fewUsers,
  isLongList,
  manyUsers,
  readUser,
  userColumns,
  userConditions,
} from '../../../sql/accounts/users.ts';
import { tables } from '../../../sql/tables.ts';
import { join, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import type { Sliced } from './sliced/slices.ts';

export interface UserListPlan {
  readonly page: Page;
  readonly which: UserFilter;
}

/** Users examined per slice: 2 ms if each is searched for the maximum number of words. */
const slice = 500;
/** Users counted per slice, by an index. */
const counted = 20_000;

/** statement: there are few, or one is asked for by address. first: one of the first pages of all. long: all must be scanned. */
export function wayOfUsers(db: Database, { page, which }: UserListPlan): 'statement' | 'first' | 'long' {
  if (which.email !== undefined || !db.row(manyUsers)) return 'statement';
  return isLongList(page, which) ? 'long' : 'first';
}

/**
 * One of the first pages of all users. They are counted in slices, as this is the serving thread, so the total may be of a
 * later moment.
 */
export async function listFirst(db: Database, { limit, offset }: Page): Promise<Paged<User>> {
  const rows = db.rows(
    sql`SELECT ${userColumns} FROM ${tables.users} ORDER BY seq LIMIT ${limit} OFFSET ${offset}`,
  );
  let total = 0;
  for (let last = ''; ; ) {
    const ids = sql`SELECT id FROM ${tables.users} WHERE id > ${last} ORDER BY id LIMIT ${counted}`;
    const [end, count] = db.row(sql`SELECT max(id), count(*) FROM (${ids})`) ?? [];
    total += Number(count);
    if (Number(count) < counted) return { total, found: rows.map(readUser) };
    last = String(end);
    await turn();
  }
}

/** Words may occur anywhere in their names: scans all of them, in one snapshot. */
export function* usersSliced(db: Database, { page, which }: UserListPlan): Sliced<Paged<User>> {
  const { limit, offset } = page;
  const conditions = userConditions(which);
  const most = conditions.length > 0 ? slice : fewUsers;
  const seqs: number[] = [];
  let total = 0;
  for (let last = 0; ; ) {
    const { end, isLast } = endOfSlice(db, last, most);
    const range = [sql`seq > ${last}`, sql`seq <= ${end}`, ...conditions];
    const found = db.rows(
      sql`SELECT seq FROM ${tables.users} NOT INDEXED WHERE ${join(range, ' AND ')} ORDER BY seq`,
    );
    const first = Math.max(0, offset - total);
    seqs.push(...found.slice(first, first + limit - seqs.length).map(([seq]) => Number(seq)));
    total += found.length;
    if (isLast) return { total, found: readUsers(db, seqs) };
    last = end;
    yield;
  }
}

function endOfSlice(db: Database, after: number, most: number) {
  const users = sql`SELECT seq FROM ${tables.users} WHERE seq > ${after} ORDER BY seq LIMIT ${most}`;
  const [end, count] = db.row(sql`SELECT max(seq), count(*) FROM (${users})`) ?? [];
  return { end: Number(end ?? after), isLast: Number(count) < most };
}

function readUsers(db: Database, seqs: readonly number[]): User[] {
  const which = db.dialect.values(seqs, 'integer');
  const rows = db.rows(sql`SELECT ${userColumns} FROM ${tables.users} WHERE seq IN (${which}) ORDER BY seq`);
  return rows.map(readUser);
}
