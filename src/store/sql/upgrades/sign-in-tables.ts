import { fold } from '../../../model/search.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, sql } from '../tag.ts';
import type { UpgradeStep } from '../upgrade.ts';

/** Format 6: keys that only read or that expire, search for users, second factors, and sign-in with identity providers. */
export const addSignInTables =
  (textType: string): UpgradeStep =>
  async (db) => {
    const text = raw(textType);
    await db.run(sql`ALTER TABLE ${tables.keys} ADD COLUMN access ${text} NOT NULL DEFAULT 'write'`);
    await db.run(sql`ALTER TABLE ${tables.keys} ADD COLUMN expires bigint`);
    await db.run(sql`ALTER TABLE ${tables.keys} ADD COLUMN used bigint`);
    await db.run(sql`ALTER TABLE ${tables.users} ADD COLUMN folded_name ${text} NOT NULL DEFAULT ''`);
    await foldNames(db);
    await db.run(sql`ALTER TABLE ${tables.sessions} ADD COLUMN since bigint NOT NULL DEFAULT 0`);
    await db.run(sql`ALTER TABLE ${tables.sessions} ADD COLUMN impersonator ${text}`);
    await db.run(sql`
    CREATE TABLE ${tables.factors} (
      account ${text} PRIMARY KEY,
      secret ${text} NOT NULL,
      confirmed bigint NOT NULL,
      step bigint NOT NULL,
      failures ${text} NOT NULL
    )`);
    await db.run(
      sql`CREATE TABLE ${tables.recovery_codes} (digest ${text} PRIMARY KEY, account ${text} NOT NULL)`,
    );
    await db.run(sql`CREATE INDEX recovery_codes_account ON ${tables.recovery_codes} (account)`);
    await db.run(sql`
    CREATE TABLE ${tables.identities} (
      id ${text} PRIMARY KEY,
      account ${text} NOT NULL,
      provider ${text} NOT NULL,
      issuer ${text} NOT NULL,
      subject ${text} NOT NULL,
      email ${text} NOT NULL,
      created bigint NOT NULL,
      UNIQUE (issuer, subject)
    )`);
    await db.run(sql`CREATE INDEX identities_account ON ${tables.identities} (account)`);
    await db.run(sql`
    CREATE TABLE ${tables.sign_in_steps} (
      digest ${text} PRIMARY KEY,
      kind ${text} NOT NULL,
      data ${text} NOT NULL,
      expires bigint NOT NULL
    )`);
    await db.run(sql`CREATE INDEX sign_in_steps_expires ON ${tables.sign_in_steps} (expires)`);
  };

/** Format 6: second factors of administrators. */
export const addAdministratorFactors =
  (textType: string): UpgradeStep =>
  async (db) => {
    const text = raw(textType);
    await db.run(sql`
    CREATE TABLE ${tables.administrator_factors} (
      account ${text} PRIMARY KEY,
      secret ${text} NOT NULL,
      confirmed bigint NOT NULL,
      step bigint NOT NULL,
      failures ${text} NOT NULL
    )`);
    await db.run(
      sql`CREATE TABLE ${tables.administrator_recovery_codes} (digest ${text} PRIMARY KEY, account ${text} NOT NULL)`,
    );
    await db.run(sql`
    CREATE TABLE ${tables.administrator_steps} (
      digest ${text} PRIMARY KEY,
      kind ${text} NOT NULL,
      data ${text} NOT NULL,
      expires bigint NOT NULL
    )`);
  };

async function foldNames(db: Connection): Promise<void> {
  const chunk = 500;
  for (let last = 0; ; ) {
    const rows = await db.rows(
      sql`SELECT seq, name FROM ${tables.users} WHERE seq > ${last} ORDER BY seq LIMIT ${chunk}`,
    );
    for (const [seq, name] of rows) {
      last = Number(seq);
      await db.run(sql`UPDATE ${tables.users} SET folded_name = ${fold(String(name))} WHERE seq = ${last}`);
    }
    if (rows.length < chunk) return;
  }
}
