import { type Administrators, administratorIdle } from '../../administrators.ts';
import type { AccountsAccess } from '../accounts/accounts-access.ts';
import { accessAs } from '../accounts/check-authority.ts';
import { administratorFactors, factorCalls, removeFactor } from '../accounts/factors.ts';
import { paged } from '../accounts/paged.ts';
import { stepCalls } from '../accounts/sign-in-steps.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, type Sql, sql } from '../tag.ts';
import { administratorSessions, removeTickets } from './administrator-sessions.ts';

export type AdministratorCalls = Omit<Administrators, 'as'>;

/** `finish` adds what all calls of an engine need, such as the translation of errors. */
export function sqlAdministrators(
  access: AccountsAccess,
  finish: (calls: AdministratorCalls) => AdministratorCalls,
): Administrators {
  return {
    ...finish(administratorCalls(access)),
    as: (authority) => sqlAdministrators(accessAs(takingTurns(access), authority), finish),
  };
}

/**
 * Two administrators who remove each other each hold the session that the other ends: this lock makes one of them wait before.
 */
function takingTurns({ read, write }: AccountsAccess): AccountsAccess {
  return {
    read,
    write: (step) =>
      write(async (transaction) => {
        await transaction.db.dialect.lockName(transaction.db, 'administrators');
        return step(transaction);
      }),
  };
}

function administratorCalls(access: AccountsAccess): AdministratorCalls {
  const { read, write } = access;
  return {
    ...administratorSessions(access, administratorIdle),
    ...factorCalls(access, administratorFactors),
    ...stepCalls(access, tables.administrator_steps),
    any: () => read(any),
    async findPassword(email) {
      const row = await read((db) =>
        db.row(sql`SELECT password FROM ${tables.administrators} WHERE email = ${email}`),
      );
      return row && String(row[0]);
    },
    list: (page) =>
      read((db) => paged(db, 'email', tables.administrators, page, ['email'], ([email]) => String(email))),
    save: (email, password) => write(({ db }) => save(db, email, password)),
    remove: (isIt, isTheirs) =>
      write(async ({ db }) => {
        // All are locked: if two remove each other at the same moment, one stays.
        const rows = await db.rows(
          sql`SELECT email FROM ${tables.administrators} ORDER BY email${db.dialect.forUpdate}`,
        );
        const invited = await db.rows(sql`SELECT email FROM ${tables.administrator_invitations}`);
        const email = [...rows, ...invited].map(([one]) => String(one)).find(isIt);
        if (email === undefined) return 'absent';
        if (rows.length === 1 && rows[0]?.[0] === email) return 'last';
        await db.run(sql`DELETE FROM ${tables.administrators} WHERE email = ${email}`);
        await endAll(db, email);
        await withdrawInvitations(db, isTheirs);
        return 'removed';
      }),
    offerSetup: (digest) =>
      write(async ({ db }) => {
        await withdrawSetup(db);
        await db.run(sql`INSERT INTO ${tables.setup} (digest) VALUES (${digest})`);
      }),
    async withdrawSetup() {
      // Each start asks for it, also one while nothing can be written.
      const offered = await read((db) => db.row(sql`SELECT 1 FROM ${tables.setup} LIMIT 1`));
      if (offered) await write(({ db }) => withdrawSetup(db));
    },
    invite: ({ digest, email, expires }) =>
      write(async ({ db }) => {
        if (await db.row(sql`SELECT 1 FROM ${tables.administrators} WHERE email = ${email}`)) return false;
        await db.run(sql`
          INSERT INTO ${tables.administrator_invitations} (email, digest, expires)
          VALUES (${email}, ${digest}, ${expires})
          ON CONFLICT (email) DO UPDATE SET digest = excluded.digest, expires = excluded.expires`);
        return true;
      }),
    listInvitations: (page, now) =>
      read((db) =>
        paged(
          db,
          'email, expires',
          sql`${tables.administrator_invitations} WHERE expires > ${now}`,
          page,
          ['email'],
          ([email, expires]) => ({ email: String(email), expires: Number(expires) }),
        ),
      ),
    withdrawInvitations: (isIt) => write(({ db }) => withdrawInvitations(db, isIt)),
    isSetupOpen: (digest, email, now) =>
      read(async (db) => {
        const invited = await db.row(sql`SELECT 1 FROM ${invitationOf(digest, email, now)}`);
        return invited !== undefined || isFirst(db, digest, raw(''));
      }),
    completeSetup: (digest, email, password, now) =>
      write(async ({ db }) => {
        // All offers are locked: whoever comes at the same moment, by this link or another, finds none afterwards.
        const first = () => isFirst(db, digest, db.dialect.forUpdate);
        if (!(await spendInvitation(db, digest, email, now)) && !(await first())) return false;
        await save(db, email, password);
        return true;
      }),
  };
}

async function withdrawInvitations(db: Connection, isIt: (email: string) => boolean): Promise<number> {
  const rows = await db.rows(sql`SELECT email FROM ${tables.administrator_invitations}`);
  let withdrawn = 0;
  for (const email of rows.map(([one]) => String(one)).filter(isIt))
    withdrawn += await db.run(sql`DELETE FROM ${tables.administrator_invitations} WHERE email = ${email}`);
  return withdrawn;
}

async function spendInvitation(db: Connection, digest: string, email: string, now: number): Promise<boolean> {
  return (await db.run(sql`DELETE FROM ${invitationOf(digest, email, now)}`)) > 0;
}

const invitationOf = (digest: string, email: string, now: number) => sql`
  ${tables.administrator_invitations} WHERE email = ${email} AND digest = ${digest} AND expires > ${now}`;

async function isFirst(db: Connection, digest: string, lock: Sql): Promise<boolean> {
  const offered = await db.rows(sql`SELECT digest FROM ${tables.setup} ORDER BY digest${lock}`);
  return offered.some(([one]) => one === digest) && !(await any(db));
}

async function any(db: Connection): Promise<boolean> {
  return (await db.row(sql`SELECT 1 FROM ${tables.administrators} LIMIT 1`)) !== undefined;
}

async function save(db: Connection, email: string, password: string): Promise<void> {
  await db.run(sql`
    INSERT INTO ${tables.administrators} (email, password) VALUES (${email}, ${password})
    ON CONFLICT (email) DO UPDATE SET password = excluded.password`);
  await endAll(db, email);
  await withdrawSetup(db);
}

/** A new password is set by somebody with access to the machine, or by a link: the second factor may be lost too. */
async function endAll(db: Connection, email: string): Promise<void> {
  await removeTickets(db, sql`${email}`);
  await removeFactor(db, administratorFactors, email);
  await db.run(sql`DELETE FROM ${tables.administrator_signins} WHERE email = ${email}`);
  await db.run(sql`DELETE FROM ${tables.administrator_invitations} WHERE email = ${email}`);
}

async function withdrawSetup(db: Connection): Promise<void> {
  await db.run(sql`DELETE FROM ${tables.setup}`);
}
