import type { ColumnValue } from '../../../model/field.ts';
import type { JsonObject } from '../../../model/json.ts';
import { fold } from '../../../model/search.ts';
import type { Accounts, User, UserFilter } from '../../accounts.ts';
import { emailTaken } from '../../email-taken.ts';
import type { Page, Paged } from '../../paged.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { join, raw, type Sql, sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';
import { addSession } from './add-session.ts';
import { deleteUser } from './delete-user.ts';
import { endSessions } from './end-sessions.ts';
import { isFree } from './free-address.ts';
import { later } from './later.ts';
import { dropProofs } from './mails.ts';
import { paged } from './paged.ts';
import { mergedProfile } from './profiles.ts';

type UserCalls = Pick<
  Accounts,
  'createUser' | 'findUser' | 'findPassword' | 'listUsers' | 'updateUser' | 'deleteUser'
>;

export const userColumns = raw('id, email, name, disabled, created, updated, verified, profile');

export function userCalls({ read, write }: AccountsAccess): UserCalls {
  return {
    createUser: (user, password, session) =>
      write(async ({ db }) => {
        const { id, email, name, created, updated } = user;
        const [disabled, verified] = [Number(user.disabled), Number(user.verified)];
        const made = await db.run(sql`
          INSERT INTO ${tables.users} (id, email, name, password, disabled, created, updated, verified, profile, folded_name)
          VALUES (
            ${id}, ${email}, ${name}, ${password}, ${disabled}, ${created}, ${updated}, ${verified},
            ${JSON.stringify(user.profile)}, ${fold(name)}
          )
          ON CONFLICT (email) DO NOTHING`);
        if (made > 0 && session) await addSession(db, session);
        return made > 0;
      }),
    async findUser(id) {
      const row = await read((db) =>
        db.row(sql`SELECT ${userColumns} FROM ${tables.users} WHERE id = ${id}`),
      );
      return row && readUser(row);
    },
    async findPassword(email) {
      const row = await read((db) =>
        db.row(sql`SELECT ${userColumns}, password FROM ${tables.users} WHERE email = ${email}`),
      );
      return row && { user: readUser(row), hash: String(row[8]) };
    },
    listUsers: (page, which) => read((db) => listUsers(db, page, which)),
    updateUser: (id, { name, passwordHash, ifPasswordHash, disabled, verified, profile, email }, now) =>
      write(async ({ db }) => {
        const merged = await mergedProfile(db, id, profile);
        const folded = name === undefined ? null : fold(name);
        const bit = (flag: boolean | undefined) => (flag === undefined ? null : Number(flag));
        const moved = email !== undefined && (await isOther(db, id, email));
        if (moved && !(await isFree(db, email))) throw emailTaken(email);
        // One statement, so that the password compared is the one replaced.
        const row = await db.row(sql`
          UPDATE ${tables.users} SET
            name = coalesce(${name ?? null}, name), disabled = coalesce(${bit(disabled)}, disabled),
            profile = coalesce(${merged}, profile),
            folded_name = coalesce(${folded}, folded_name),
            email = coalesce(${email ?? null}, email),
            verified = coalesce(${bit(verified ?? (moved ? false : undefined))}, verified),
            password = coalesce(${passwordHash ?? null}, password), updated = ${later(now)}
          WHERE id = ${id}${ifPasswordHash === undefined ? raw('') : sql` AND password = ${ifPasswordHash}`}
          RETURNING ${userColumns}`);
        if (row && (passwordHash !== undefined || disabled)) await endSessions(db, sql`"user" = ${id}`);
        if (row && (passwordHash !== undefined || moved)) await dropProofs(db, id);
        return row && readUser(row);
      }),
    deleteUser: (id, how) => write(({ db }) => deleteUser(db, id, how)),
  };
}

export function listUsers(db: Connection, page: Page, which: UserFilter): Promise<Paged<User>> {
  const from = sql`${tables.users} WHERE ${join([raw('1 = 1'), ...userConditions(which)], ' AND ')}`;
  return paged(db, userColumns.text, from, page, ['seq'], readUser);
}

/** Users that may be skipped in one go. */
export const fewUsers = 5_000;

/** Whether the cost grows with the number of users by more than that of counting them. */
export function isLongList({ offset }: Page, { email, search = [] }: UserFilter): boolean {
  return email === undefined && (search.length > 0 || offset > fewUsers);
}

/** Whether there are enough users for a list to be long. */
export const manyUsers = sql`SELECT 1 FROM ${tables.users} LIMIT 1 OFFSET 1000`;

async function isOther(db: Connection, id: string, email: string): Promise<boolean> {
  const row = await db.row(sql`SELECT email FROM ${tables.users} WHERE id = ${id}${db.dialect.forUpdate}`);
  return row !== undefined && row[0] !== email;
}

export function userConditions({ email, search }: UserFilter): Sql[] {
  const conditions: Sql[] = [];
  if (email !== undefined) conditions.push(sql`email = ${email}`);
  for (const word of search ?? []) {
    const part = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
    conditions.push(sql`(email LIKE ${part} ESCAPE '\\' OR folded_name LIKE ${part} ESCAPE '\\')`);
  }
  return conditions;
}

export function readUser(row: readonly ColumnValue[]): User {
  const [id, email, name, disabled, created, updated, verified, profile] = row;
  return {
    id: String(id),
    email: String(email),
    name: String(name),
    disabled: disabled === 1,
    verified: verified === 1,
    profile: JSON.parse(String(profile)) as JsonObject,
    created: Number(created),
    updated: Number(updated),
  };
}
