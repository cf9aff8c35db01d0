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

/** Users that are looked at in one go: 2 ms, where each is searched for as many words as there may be. */
const slice = 500;
/** Users that are counted in one go, by an index. */
const counted = 20_000;

/** By one statement where there are few, or one is asked for by the address; else a first page of all, or by going through all. */
export function wayOfUsers(db: Database, { page, which }: UserListPlan): 'statement' | 'first' | 'long' {
  if (which.email !== undefined || !db.row(manyUsers)) return 'statement';
  return isLongList(page, which) ? 'long' : 'first';
}

/** One of the first pages of all users, whom the thread that serves others too counts in slices: so the total may be of a later moment. */
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

/** A word may stand anywhere in their names: all are gone through, as of one moment. */
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
