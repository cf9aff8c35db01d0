import type { Connection } from '../../../sql/dialect.ts';
import { tables } from '../../../sql/tables.ts';
import { sql } from '../../../sql/tag.ts';

/** Creates a trigger that adds a row to `m<key>` for every record written or deleted, numbered in order. */
export async function noteWrites(db: Connection, schema: string, key: number): Promise<void> {
  const notes = `${schema}.m${key}`;
  await db.exec(`
    CREATE TABLE ${notes} (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, seq bigint NOT NULL);
    CREATE OR REPLACE FUNCTION ${notes}_note() RETURNS trigger LANGUAGE plpgsql AS $note$
      BEGIN
        IF TG_OP = 'DELETE' THEN
          INSERT INTO ${notes} (seq) VALUES (OLD.seq);
        ELSE
          INSERT INTO ${notes} (seq) VALUES (NEW.seq);
        END IF;
        RETURN NULL;
      END
    $note$;
    CREATE OR REPLACE TRIGGER m${key}_note AFTER INSERT OR UPDATE OR DELETE ON ${schema}.r${key}
      FOR EACH ROW EXECUTE FUNCTION ${notes}_note();
    ALTER TABLE ${schema}.r${key} ENABLE TRIGGER m${key}_note;`);
}

/**
 * Disables the trigger but leaves it in place: dropping it would wait for all readers of the table, and later ones would queue
 * up behind. It is dropped when nobody reads (`dropTriggers`) or with the table, or is used again.
 */
export async function stopNoting(db: Connection, schema: string, key: number): Promise<void> {
  const row = await db.row(sql`
    SELECT 1 FROM pg_catalog.pg_class
    WHERE relname = ${`m${key}`} AND relnamespace = to_regnamespace(${schema})`);
  if (!row) return;
  await db.exec(`
    ALTER TABLE ${schema}.r${key} DISABLE TRIGGER m${key}_note;
    DROP TABLE ${schema}.m${key};`);
}

/** Drops disabled triggers. Requires the lock for schema changes, and a short lock timeout. */
export async function dropTriggers(db: Connection, schema: string): Promise<void> {
  const found = await db.rows(sql`
    SELECT substring(tgname::text FROM '[0-9]+') FROM pg_catalog.pg_trigger
    JOIN pg_catalog.pg_class ON pg_class.oid = tgrelid
    WHERE relnamespace = to_regnamespace(${schema}) AND tgname::text ~ '^m[0-9]+_note$' AND tgenabled = 'D'`);
  for (const [key] of found) {
    await db.exec(`
      DROP TRIGGER m${key}_note ON ${schema}.r${key};
      DROP FUNCTION ${schema}.m${key}_note();`);
  }
}

/** Cleans up after schema changes whose process died. Requires the lock for schema changes. */
export async function forgetInterrupted(db: Connection, schema: string): Promise<void> {
  const found = await db.rows(sql`
    SELECT substr(relname::text, 2) FROM pg_catalog.pg_class
    WHERE relkind = 'r' AND relname::text ~ '^m[0-9]+$' AND relnamespace = to_regnamespace(${schema})`);
  for (const [key] of found) await stopNoting(db, schema, Number(key));
  await db.run(sql`UPDATE ${tables.garbage} SET ready = 1 WHERE ready = 0`);
}
