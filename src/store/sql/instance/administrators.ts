import type { Administrators } from '../../store.ts';
import type { AccountsAccess } from '../accounts/accounts-access.ts';
import type { Connection } from '../connection.ts';
import { raw, sql } from '../tag.ts';

export function sqlAdministrators({ read, write }: AccountsAccess): Administrators {
  return {
    any: () => read(any),
    async findPassword(email) {
      const row = await read((db) => db.row(sql`SELECT password FROM administrators WHERE email = ${email}`));
      return row && String(row[0]);
    },
    save: (email, password) => write(({ db }) => save(db, email, password)),
    openSession: ({ digest, email, expires, passwordHash }, now) =>
      write(async ({ db }) => {
        // Locked, so that a new password given at the same moment ends this session too.
        const row = await db.row(
          sql`SELECT password FROM administrators WHERE email = ${email}${db.dialect.forUpdate}`,
        );
        if (row?.[0] !== passwordHash) return false;
        await db.run(sql`DELETE FROM administrator_sessions WHERE expires <= ${now}`);
        await db.run(
          sql`INSERT INTO administrator_sessions (digest, email, expires) VALUES (${digest}, ${email}, ${expires})`,
        );
        return true;
      }),
    async hasSession(digest, now) {
      const row = await read((db) =>
        db.row(sql`SELECT 1 FROM administrator_sessions WHERE digest = ${digest} AND expires > ${now}`),
      );
      return row !== undefined;
    },
    offerSetup: (digest) =>
      write(async ({ db }) => {
        await withdrawSetup(db);
        await db.run(sql`INSERT INTO setup (digest) VALUES (${digest})`);
      }),
    withdrawSetup: () => write(({ db }) => withdrawSetup(db)),
    completeSetup: (digest, email, password) =>
      write(async ({ db }) => {
        // All of them are locked: whoever comes at the same moment, by this link or another, finds none afterwards.
        const offered = await db.rows(sql`SELECT digest FROM setup ORDER BY digest${db.dialect.forUpdate}`);
        if (!offered.some(([one]) => one === digest) || (await any(db))) return false;
        await save(db, email, password);
        return true;
      }),
  };
}

async function any(db: Connection): Promise<boolean> {
  return (await db.row(raw('SELECT 1 FROM administrators LIMIT 1'))) !== undefined;
}

async function save(db: Connection, email: string, password: string): Promise<void> {
  await db.run(sql`
    INSERT INTO administrators (email, password) VALUES (${email}, ${password})
    ON CONFLICT (email) DO UPDATE SET password = excluded.password`);
  await db.run(sql`DELETE FROM administrator_sessions WHERE email = ${email}`);
  await withdrawSetup(db);
}

async function withdrawSetup(db: Connection): Promise<void> {
  await db.run(raw('DELETE FROM setup'));
}
