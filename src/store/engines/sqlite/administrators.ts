import { raw, sql } from '../../sql/tag.ts';
import type { Administrators } from '../../store.ts';
import type { Database } from './database.ts';

export function createAdministratorTables(db: Database): void {
  db.exec(`
    CREATE TABLE administrators (email TEXT PRIMARY KEY, password TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE administrator_sessions (
      digest TEXT PRIMARY KEY,
      email TEXT NOT NULL,
      expires INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE setup (digest TEXT PRIMARY KEY) WITHOUT ROWID;
  `);
}

export function sqliteAdministrators(db: Database): Administrators {
  const any = () => db.row(raw('SELECT 1 FROM administrators LIMIT 1')) !== undefined;
  const save = (email: string, password: string) => {
    db.run(sql`INSERT OR REPLACE INTO administrators (email, password) VALUES (${email}, ${password})`);
    db.run(sql`DELETE FROM administrator_sessions WHERE email = ${email}`);
    db.run(raw('DELETE FROM setup'));
  };
  return {
    any: async () => any(),
    async findPassword(email) {
      const row = db.row(sql`SELECT password FROM administrators WHERE email = ${email}`);
      return row && String(row[0]);
    },
    save: async (email, password) => db.transaction('BEGIN IMMEDIATE', () => save(email, password)),
    openSession: async ({ digest, email, expires, passwordHash }, now) =>
      db.transaction('BEGIN IMMEDIATE', () => {
        if (!db.row(sql`SELECT 1 FROM administrators WHERE email = ${email} AND password = ${passwordHash}`))
          return false;
        db.run(sql`DELETE FROM administrator_sessions WHERE expires <= ${now}`);
        db.run(
          sql`INSERT INTO administrator_sessions (digest, email, expires) VALUES (${digest}, ${email}, ${expires})`,
        );
        return true;
      }),
    async hasSession(digest, now) {
      const row = db.row(
        sql`SELECT 1 FROM administrator_sessions WHERE digest = ${digest} AND expires > ${now}`,
      );
      return row !== undefined;
    },
    async offerSetup(digest) {
      db.transaction('BEGIN IMMEDIATE', () => {
        db.run(raw('DELETE FROM setup'));
        db.run(sql`INSERT INTO setup (digest) VALUES (${digest})`);
      });
    },
    async withdrawSetup() {
      db.run(raw('DELETE FROM setup'));
    },
    completeSetup: async (digest, email, password) =>
      db.transaction('BEGIN IMMEDIATE', () => {
        const offered = db.row(sql`SELECT 1 FROM setup WHERE digest = ${digest}`);
        if (!offered || any()) return false;
        save(email, password);
        return true;
      }),
  };
}
