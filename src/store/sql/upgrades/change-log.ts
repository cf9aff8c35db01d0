import { newVersion } from '../../new-version.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, type Sql, sql } from '../tag.ts';

export interface LogTypes {
  /** Type of the position, which the database assigns. */
  readonly position: Sql;
  readonly integer: Sql;
  readonly text: Sql;
}

/** Format 6: every change of a record has a position. */
export const addChangeLog =
  ({ position, integer, text }: LogTypes) =>
  async (db: Connection): Promise<void> => {
    await db.run(sql`
      CREATE TABLE ${tables.changes} (
        pos ${position} PRIMARY KEY,
        mark ${integer} NOT NULL,
        kind ${integer} NOT NULL,
        collection ${integer} NOT NULL,
        id ${text} NOT NULL,
        at ${integer} NOT NULL,
        owner ${text},
        workspace ${text},
        old_owner ${text},
        old_workspace ${text}
      )`);
    await db.run(sql`CREATE INDEX changes_handover ON ${tables.changes} (collection, id) WHERE kind = 5`);
    await db.run(
      sql`CREATE TABLE ${tables.touched} (collection ${integer} PRIMARY KEY, changes ${integer} NOT NULL)`,
    );
    await db.run(sql`
      INSERT INTO ${tables.changes} (mark, kind, collection, id, at) VALUES (${raw(String(newVersion()))}, 0, 0, '', 0)`);
  };

/** Format 6: for how many days a project keeps its changes. */
export const addChangesDays =
  (integer: Sql) =>
  async (db: Connection): Promise<void> => {
    await db.run(sql`ALTER TABLE ${tables.projects} ADD COLUMN changes_days ${integer}`);
  };
