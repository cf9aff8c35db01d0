import { digest as digestOf } from '../../../access/secret.ts';
import type { AccountMails, Purpose } from '../../account-mails.ts';
import type { User } from '../../accounts.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, type Sql, sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';
import { endSessions } from './end-sessions.ts';
import { removeFactor, userFactors } from './factors.ts';
import { isFree } from './free-address.ts';
import { later } from './later.ts';
import { addMail, dropProofs } from './mails.ts';
import { readUser, userColumns } from './users.ts';

type TokenCalls = Pick<
  AccountMails,
  'isResetTokenGood' | 'resetPassword' | 'verifyAddress' | 'rejectAddress' | 'changeAddress'
>;

/** A token is spent in the same transaction as what it is spent on. */
export function mailTokenCalls({ read, write }: AccountsAccess): TokenCalls {
  return {
    isResetTokenGood: async (digest, now) => {
      const proven = await read(async (db) => {
        return (await findProven(db, digest, 'reset', now)) ?? (await findProven(db, digest, 'handed', now));
      });
      return proven !== undefined;
    },
    resetPassword: (digest, passwordHash, now) =>
      write(async ({ db }) => {
        const mailed = await lockProven(db, digest, 'reset', now);
        const proven = mailed ?? (await findProven(db, digest, 'handed', now));
        if (!proven) return false;
        const { id, verified } = proven.user;
        await endSessions(db, sql`"user" = ${id}`);
        if (mailed && !verified) await removeOtherWaysIn(db, id);
        // A second factor does not let anybody in by itself: one unknown to the owner can be removed by an administrator.
        else if (!verified) await removeIdentities(db, id);
        await spend(db, id, sql`password = ${passwordHash}${raw(mailed ? ', verified = 1' : '')}`, now);
        return true;
      }),
    verifyAddress: (digest, now) =>
      write(async ({ db }) => {
        const proven = await lockProven(db, digest, 'verify', now);
        if (!proven) return false;
        await spend(db, proven.user.id, raw('verified = 1'), now, 'verify');
        return true;
      }),
    rejectAddress: (digest, now) =>
      write(async ({ db }) => {
        const proven = await lockProven(db, digest, 'verify', now);
        if (!proven || proven.user.verified) return false;
        const { id } = proven.user;
        await endSessions(db, sql`"user" = ${id}`);
        await removeOtherWaysIn(db, id);
        await spend(db, id, raw("password = ''"), now);
        return true;
      }),
    changeAddress: (digest, mail, now) =>
      write(async ({ db }) => {
        const proven = await lockProven(db, digest, 'email', now);
        if (!proven?.target) return undefined;
        const { user, target } = proven;
        if (!(await isFree(db, target))) return 'taken';
        await spend(db, user.id, sql`email = ${target}, verified = 1`, now);
        if (mail) {
          const notice = { id: mail.id, kind: 'emailChanged', email: user.email, subject: target } as const;
          await addMail(db, notice, now);
        }
        return 'changed';
      }),
  };
}

/**
 * Until the address was verified, the account may have belonged to anybody who typed the address: second factors and identities
 * added by then need not be those of whoever owns the address.
 */
async function removeOtherWaysIn(db: Connection, user: string): Promise<void> {
  await removeFactor(db, userFactors, user);
  await removeIdentities(db, user);
}

async function removeIdentities(db: Connection, user: string): Promise<void> {
  await db.run(sql`DELETE FROM ${tables.identities} WHERE account = ${user}`);
}

interface Proven {
  readonly user: User;
  readonly target: string | null;
}

/** Locks the user before the token: whoever spends the same token waits, and no longer finds it. */
async function lockProven(
  db: Connection,
  digest: string,
  purpose: Purpose,
  now: number,
): Promise<Proven | undefined> {
  await db.row(sql`
    SELECT id FROM ${tables.users}
    WHERE id = (SELECT "user" FROM ${tables.mail_tokens} WHERE digest = ${digest})${db.dialect.forUpdate}`);
  return findProven(db, digest, purpose, now);
}

async function findProven(
  db: Connection,
  digest: string,
  purpose: Purpose,
  now: number,
): Promise<Proven | undefined> {
  const token = await db.row(sql`
    SELECT "user", address, target, password FROM ${tables.mail_tokens}
    WHERE digest = ${digest} AND purpose = ${purpose} AND expires > ${now}`);
  if (!token) return undefined;
  const [id, address, target, password] = token;
  const row = await db.row(
    sql`SELECT ${userColumns}, password FROM ${tables.users} WHERE id = ${String(id)}`,
  );
  const user = row && readUser(row);
  if (!user || user.disabled || user.email !== address) return undefined;
  if (digestOf(String(row.at(-1))) !== password) return undefined;
  return { user, target: target === null ? null : String(target) };
}

/**
 * Along with the token all other tokens of the user for the same purpose are deleted; with a new password or address all of
 * them, including those still to be mailed.
 */
async function spend(
  db: Connection,
  user: string,
  change: Sql,
  now: number,
  purpose?: Purpose,
): Promise<void> {
  if (purpose === undefined) await dropProofs(db, user);
  else await db.run(sql`DELETE FROM ${tables.mail_tokens} WHERE "user" = ${user} AND purpose = ${purpose}`);
  await db.run(sql`UPDATE ${tables.users} SET ${change}, updated = ${later(now)} WHERE id = ${user}`);
}
