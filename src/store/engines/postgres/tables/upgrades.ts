import { formatAfter, type Upgrade } from '../../../sql/upgrade.ts';

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
];

export const format = formatAfter(upgrades);
