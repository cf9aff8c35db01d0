import { tables } from '../tables.ts';
import { raw, type Sql, sql } from '../tag.ts';
import type { UpgradeStep } from '../upgrade.ts';

/** Format 6: addresses are verified, sessions record where they are used, mails are queued, members are invited. */
export const addAccountMails =
  (textType: string): UpgradeStep =>
  async (db) => {
    const text = raw(textType);
    const add = (table: Sql, column: Sql) => db.run(sql`ALTER TABLE ${table} ADD COLUMN ${column}`);
    await add(tables.users, raw('verified bigint NOT NULL DEFAULT 0'));
    await add(tables.users, sql`profile ${text} NOT NULL DEFAULT '{}'`);
    await add(tables.sessions, raw('used bigint NOT NULL DEFAULT 0'));
    await add(tables.sessions, sql`address ${text} NOT NULL DEFAULT ''`);
    await add(tables.sessions, sql`agent ${text} NOT NULL DEFAULT ''`);
    await db.run(sql`
      CREATE TABLE ${tables.outbox} (
        id ${text} PRIMARY KEY, kind ${text} NOT NULL, email ${text} NOT NULL, subject ${text},
        created bigint NOT NULL, due bigint NOT NULL, tries bigint NOT NULL
      )`);
    await db.run(sql`CREATE INDEX outbox_due ON ${tables.outbox} (due)`);
    await db.run(sql`
      CREATE TABLE ${tables.mail_tokens} (
        digest ${text} PRIMARY KEY, purpose ${text} NOT NULL, "user" ${text} NOT NULL, address ${text} NOT NULL,
        target ${text}, password ${text} NOT NULL, expires bigint NOT NULL
      )`);
    await db.run(sql`CREATE INDEX mail_tokens_user ON ${tables.mail_tokens} ("user")`);
    await db.run(sql`CREATE INDEX mail_tokens_expires ON ${tables.mail_tokens} (expires)`);
    await db.run(sql`
      CREATE TABLE ${tables.mail_limits} (subject ${text} PRIMARY KEY, times ${text} NOT NULL, ends bigint NOT NULL)`);
    await db.run(sql`CREATE INDEX mail_limits_ends ON ${tables.mail_limits} (ends)`);
    await db.run(sql`
      CREATE TABLE ${tables.invitations} (
        id ${text} PRIMARY KEY, workspace ${text} NOT NULL, email ${text} NOT NULL, role ${text} NOT NULL,
        digest ${text}, created bigint NOT NULL, expires bigint NOT NULL, UNIQUE (workspace, email)
      )`);
    await db.run(sql`CREATE INDEX invitations_email ON ${tables.invitations} (email)`);
    await db.run(sql`
      CREATE TABLE ${tables.departures} (id ${text} PRIMARY KEY, kind ${text} NOT NULL, created bigint NOT NULL)`);
  };
