import type { Connection } from '../../../sql/dialect.ts';
import { raw, sql, table } from '../../../sql/tag.ts';
import { formatAfter, inOrder, type Upgrade } from '../../../sql/upgrade.ts';
import { addAccountMails } from '../../../sql/upgrades/account-mails.ts';
import { addAuditTable } from '../../../sql/upgrades/audit-table.ts';
import { addBackupRuns } from '../../../sql/upgrades/backup-runs.ts';
import { addChangeLog, addChangesDays } from '../../../sql/upgrades/change-log.ts';
import { addDeletionTables } from '../../../sql/upgrades/deletion-tables.ts';
import { addFoldedKeys } from '../../../sql/upgrades/folded-keys.ts';
import { renameBatchAnswers } from '../../../sql/upgrades/kept-answers.ts';
import { nameOwners } from '../../../sql/upgrades/owners.ts';
import { upgradeSearchTexts } from '../../../sql/upgrades/search-texts.ts';
import { foldSharpS } from '../../../sql/upgrades/sharp-s.ts';
import { addAdministratorFactors, addSignInTables } from '../../../sql/upgrades/sign-in-tables.ts';
import { addWebhookTables } from '../../../sql/upgrades/webhook-tables.ts';
import { addWorkMarks, addWorkTables } from '../../../sql/upgrades/work-tables.ts';

/**
 * How files of earlier versions are upgraded: one entry for each format, in order; the first leads from format 1 to
 * format 2. A file is upgraded in one transaction when it is first opened, before anybody reads it.
 *
 * To change the layout of the files:
 *  1. Change what creates new ones: sql/system-tables/ and system-tables.ts, or collection-tables.ts.
 *  2. Append an entry here that does the same to existing tables, as they are at this format: spelled out, not by calling
 *     code that creates the latest tables, which may have changed further by the time the entry runs.
 *  3. Append the same entry to postgres/tables/upgrades.ts, or an empty one if nothing changes there. A step that is the
 *     same for both goes into sql/upgrades/, written against Connection.
 * Released entries are never changed. test/upgrades checks that an upgraded project has the tables of a new one.
 */
export const upgrades: readonly Upgrade[] = [
  {
    // 2: administrators' sessions expire some time after their last use; everybody has to sign in again.
    instance: (db) =>
      db.exec(`
        DROP TABLE IF EXISTS administrator_sessions;
        CREATE TABLE IF NOT EXISTS administrator_signins (
          digest TEXT PRIMARY KEY, email TEXT NOT NULL, used INTEGER NOT NULL, ends INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS administrator_invitations (
          email TEXT PRIMARY KEY, digest TEXT NOT NULL, expires INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS administrator_tickets (
          digest TEXT PRIMARY KEY, path TEXT NOT NULL, expires INTEGER NOT NULL
        ) WITHOUT ROWID;`),
  },
  {
    // 3: a project that is being created or deleted is finished by the next start.
    instance: (db) =>
      db.exec(
        'CREATE TABLE unfinished (id TEXT PRIMARY KEY, token TEXT NOT NULL, project TEXT) WITHOUT ROWID',
      ),
  },
  {
    // 4: unique emails have folded keys; search collapses white space and covers more lists; sizes of large records are
    // recorded.
    async project(db) {
      await addFoldedKeys({ textType: 'TEXT', textOf, parts: (columns) => columns.map(({ name }) => name) })(
        db,
      );
      await upgradeSearchTexts({ collapse, replace })(db);
      await renameBatchAnswers(db);
      await noteSizes(db);
    },
  },
  { project: addDeletionTables }, // 5: large deletions are done in slices
  {
    // 6: background work; the audit log; mails of accounts; other ways to sign in; the change log; webhooks
    instance: inOrder(
      addWorkTables,
      addBackupRuns,
      addAdministratorFactors('TEXT'),
      addAuditTable('TEXT'),
      addChangesDays(raw('INTEGER')),
    ),
    project: inOrder(
      addAccountMails('TEXT'),
      addSignInTables('TEXT'),
      addWebhookTables,
      addChangeLog({ position: raw('INTEGER'), integer: raw('INTEGER'), text: raw('TEXT') }),
    ),
  },
  {}, // 7: concerns PostgreSQL only
  { project: computeContents }, // 8: long texts that no index needs are stored only in the record's JSON
  { instance: addWorkMarks }, // 9: work that is announced before it is written
  {}, // 10: concerns PostgreSQL only
  { project: foldSharpS({ replace }) }, // 11: search finds ss by a capital ẞ
  { project: nameOwners }, // 12: every workspace with members has an owner
];

async function textOf(db: Connection, name: string): Promise<string> {
  return String((await db.row(sql`SELECT sql FROM sqlite_schema WHERE name = ${name}`))?.[0]);
}

async function collapse(db: Connection, key: number): Promise<void> {
  const chunk = 500;
  for (let last = 0; ; ) {
    const rows = await db.rows(sql`
      SELECT seq, text FROM ${table(`s${key}`)} WHERE seq > ${last} ORDER BY seq LIMIT ${raw(String(chunk))}`);
    for (const [seq, text] of rows) {
      last = Number(seq);
      const collapsed = String(text).replace(/\s+/g, ' ');
      if (collapsed !== text)
        await db.run(sql`UPDATE ${table(`s${key}`)} SET text = ${collapsed} WHERE seq = ${last}`);
    }
    if (rows.length < chunk) return;
  }
}

async function noteSizes(db: Connection): Promise<void> {
  await db.exec('CREATE TABLE sizes (collection INTEGER PRIMARY KEY, largest INTEGER NOT NULL)');
  for (const [key] of await db.rows(raw('SELECT key FROM collections'))) {
    const [largest] = (await db.row(sql`SELECT max(octet_length(json)) FROM ${table(`r${key}`)}`)) ?? [];
    if (Number(largest ?? 0) > 65_536)
      await db.run(
        sql`INSERT INTO ${table('sizes')} (collection, largest) VALUES (${key ?? 0}, ${largest ?? 0})`,
      );
  }
}

async function computeContents(db: Connection): Promise<void> {
  const rows = await db.rows(raw('SELECT key, definition, field_keys FROM collections'));
  for (const [key, text, fieldKeys] of rows) {
    const { fields, indexes = [] } = JSON.parse(String(text)) as {
      fields: Record<string, { type: string; index?: boolean }>;
      indexes?: { fields: string[] }[];
    };
    const keys = JSON.parse(String(fieldKeys)) as Record<string, number>;
    for (const [name, { type, index }] of Object.entries(fields)) {
      if (type !== 'content' || index || indexes.some((other) => other.fields.includes(name))) continue;
      const column = `f${keys[name]}`;
      await db.exec(`
        ALTER TABLE r${key} DROP COLUMN ${column};
        ALTER TABLE r${key} ADD COLUMN ${column} TEXT AS (json_extract(json, '$."${name}"')) VIRTUAL;`);
    }
  }
}

/** The text is indexed when the project is opened. */
async function replace(db: Connection, key: number, seq: number, text: string): Promise<void> {
  const long = text.length > 20_000 ? 1 : 0;
  await db.run(sql`INSERT OR REPLACE INTO ${table(`s${key}`)} (seq, text) VALUES (${seq}, ${text})`);
  await db.run(sql`DELETE FROM ${table(`t${key}`)} WHERE rowid = ${seq}`);
  await db.run(sql`INSERT OR REPLACE INTO ${table(`p${key}`)} (seq, long) VALUES (${seq}, ${long})`);
}

export const format = formatAfter(upgrades);
