import { randomBytes } from 'node:crypto';
import { newOrigin } from '../../../sql/changes/origin.ts';
import { accountTables } from '../../../sql/system-tables/account-tables.ts';
import { instanceTables } from '../../../sql/system-tables/instance-tables.ts';
import { mailTables } from '../../../sql/system-tables/mail-tables.ts';
import { projectTables } from '../../../sql/system-tables/project-tables.ts';
import { signInTables } from '../../../sql/system-tables/sign-in-tables.ts';
import type { TableStyle } from '../../../sql/system-tables/table-style.ts';
import { webhookTables } from '../../../sql/system-tables/webhook-tables.ts';
import { tables } from '../../../sql/tables.ts';
import { sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';

const style: TableStyle = {
  at: '',
  text: 'TEXT',
  integer: 'INTEGER',
  serial: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  position: 'INTEGER PRIMARY KEY',
  byKey: ' WITHOUT ROWID',
};

/** All tables of a new project's file; collections add theirs. */
export function createProjectTables(db: Database): void {
  db.exec(`
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO meta (name, value) VALUES ('schema', 1), ('key', 0);
    CREATE TABLE counters (
      collection INTEGER PRIMARY KEY,
      total INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      created INTEGER NOT NULL,
      version INTEGER NOT NULL
    );
    CREATE TABLE sizes (collection INTEGER PRIMARY KEY, largest INTEGER NOT NULL);
  `);
  const shared = [projectTables, accountTables, signInTables, mailTables, webhookTables];
  for (const made of shared) db.exec(made(style));
  db.run(newOrigin());
  const secret = randomBytes(32).toString('base64url');
  db.run(sql`INSERT INTO ${tables.secrets} (name, value) VALUES ('signing', ${secret})`);
}

export function createInstanceTables(db: Database): void {
  db.exec(instanceTables(style));
  db.exec('CREATE TABLE unfinished (id TEXT PRIMARY KEY, token TEXT NOT NULL, project TEXT) WITHOUT ROWID');
}
