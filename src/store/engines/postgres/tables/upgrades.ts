import type { Connection } from '../../../sql/dialect.ts';
import { sql, table } from '../../../sql/tag.ts';
import { formatAfter, inOrder, type Upgrade } from '../../../sql/upgrade.ts';
import { addAccountMails } from '../../../sql/upgrades/account-mails.ts';
import { addAuditTable } from '../../../sql/upgrades/audit-table.ts';
import { addBackupRuns } from '../../../sql/upgrades/backup-runs.ts';
import { addDeletionTables } from '../../../sql/upgrades/deletion-tables.ts';
import { addFoldedKeys, type KeyWays } from '../../../sql/upgrades/folded-keys.ts';
import { renameBatchAnswers } from '../../../sql/upgrades/kept-answers.ts';
import { upgradeSearchTexts } from '../../../sql/upgrades/search-texts.ts';
import { addAdministratorFactors, addSignInTables } from '../../../sql/upgrades/sign-in-tables.ts';
import { addWorkTables } from '../../../sql/upgrades/work-tables.ts';
import { indexedParts } from './text-index.ts';

const text = 'text COLLATE "C"';

/**
 * How databases of earlier versions become databases of this one: one entry for each format, in order, as in
 * sqlite/tables/upgrades.ts, which says how to add one. The instance is upgraded by the first node that starts, a project
 * by the first that opens it, while nobody else writes to it. Nodes of the version before are to be stopped by then.
 */
export const upgrades: readonly Upgrade[] = [
  {
    // 2: sign-ins of administrators end some time after their last use; all are asked to sign in again.
    instance: (db) =>
      db.exec(`
        DROP TABLE IF EXISTS vitrine.administrator_sessions;
        CREATE TABLE IF NOT EXISTS vitrine.administrator_signins (
          digest ${text} PRIMARY KEY, email ${text} NOT NULL, used bigint NOT NULL, ends bigint NOT NULL
        );
        CREATE TABLE IF NOT EXISTS vitrine.administrator_invitations (
          email ${text} PRIMARY KEY, digest ${text} NOT NULL, expires bigint NOT NULL
        );
        CREATE TABLE IF NOT EXISTS vitrine.administrator_tickets (
          digest ${text} PRIMARY KEY, path ${text} NOT NULL, expires bigint NOT NULL
        );`),
  },
  {}, // 3: about the files of SQLite
  {
    // 4: unique emails have folded keys; white space is one blank in search, which looks at more lists.
    async project(db) {
      const parts: KeyWays['parts'] = (columns) => [...indexedParts(columns).map(nullsFirst), 'seq'];
      await addFoldedKeys({ textType: text, parts })(db);
      await upgradeSearchTexts({ collapse, replace })(db);
      await renameBatchAnswers(db);
    },
  },
  { project: addDeletionTables }, // 5: large deletions are done in slices
  {
    // 6: work beside requests; the audit; mails of accounts; other ways to sign in
    instance: inOrder(addWorkTables, addBackupRuns, addAdministratorFactors(text), addAuditTable(text)),
    project: inOrder(addAccountMails(text), addSignInTables(text)),
  },
];

const nullsFirst = (part: string) => `${part.includes('(') ? `(${part})` : part} NULLS FIRST`;

/** White space as JavaScript has it, whatever the locale. */
const spaces = String.raw`[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]`;

async function collapse(db: Connection, key: number): Promise<void> {
  await db.run(sql`
    UPDATE ${table(`s${key}`)} SET text = regexp_replace(text, ${`${spaces}+`}, ' ', 'g')
    WHERE text ~ ${`${spaces}{2,}|(?! )${spaces}`}`);
}

async function replace(db: Connection, key: number, seq: number, value: string): Promise<void> {
  await db.run(sql`
    INSERT INTO ${table(`s${key}`)} (seq, text) VALUES (${seq}, ${value})
    ON CONFLICT (seq) DO UPDATE SET text = excluded.text`);
}

export const format = formatAfter(upgrades);
