import type { ColumnValue } from '../../../../model/field.ts';
import type { Accounts, User } from '../../../accounts.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../database.ts';
import type { Reach } from './accounts.ts';
import { paged } from './paged.ts';
import { endSessionsOf } from './sessions.ts';

type UserCalls = Pick<
  Accounts,
  'createUser' | 'findUser' | 'findPassword' | 'listUsers' | 'updateUser' | 'deleteUser'
>;

const columns = 'id, email, name, disabled, created, updated';

export function userCalls({ read, write }: Reach): UserCalls {
  return {
    createUser: (user, password) =>
      write(({ db }) => {
        const { id, email, name, created, updated } = user;
        if (db.row(sql`SELECT 1 FROM users WHERE email = ${email}`)) return false;
        db.run(sql`
          INSERT INTO users (id, email, name, password, disabled, created, updated)
          VALUES (${id}, ${email}, ${name}, ${password}, ${user.disabled ? 1 : 0}, ${created}, ${updated})`);
        return true;
      }),
    findUser: (id) => read((db) => findUser(db, sql`id = ${id}`)),
    findPassword: (email) =>
      read((db) => {
        const user = findUser(db, sql`email = ${email}`);
        const row = db.row(sql`SELECT password FROM users WHERE email = ${email}`);
        return user && row ? { user, hash: String(row[0]) } : undefined;
      }),
    listUsers: (page) => read((db) => paged(db, columns, raw('users'), page, 'seq', readUser)),
    updateUser: (id, { name, passwordHash, ifPasswordHash, disabled }, now) =>
      write(({ db }) => {
        const user = findUser(db, sql`id = ${id}`);
        if (!user || (ifPasswordHash !== undefined && !hasPassword(db, id, ifPasswordHash))) return undefined;
        const held = (disabled ?? user.disabled) ? 1 : 0;
        db.run(sql`
          UPDATE users SET
            name = ${name ?? user.name}, disabled = ${held}, password = coalesce(${passwordHash ?? null}, password),
            updated = ${Math.max(now, user.updated + 1)}
          WHERE id = ${id}`);
        if (passwordHash !== undefined || disabled) endSessionsOf(db, id);
        return findUser(db, sql`id = ${id}`);
      }),
    deleteUser: (id) =>
      write(({ db }) => {
        endSessionsOf(db, id);
        db.run(sql`DELETE FROM members WHERE user = ${id}`);
        return db.run(sql`DELETE FROM users WHERE id = ${id}`) > 0;
      }),
  };
}

function hasPassword(db: Database, id: string, hash: string): boolean {
  return db.row(sql`SELECT 1 FROM users WHERE id = ${id} AND password = ${hash}`) !== undefined;
}

export function findUser(db: Database, where: Sql): User | undefined {
  const row = db.row(sql`SELECT ${raw(columns)} FROM users WHERE ${where}`);
  return row && readUser(row);
}

function readUser([id, email, name, disabled, created, updated]: readonly ColumnValue[]): User {
  return {
    id: String(id),
    email: String(email),
    name: String(name),
    disabled: disabled === 1,
    created: Number(created),
    updated: Number(updated),
  };
}
