import type { Connection } from '../../../sql/dialect.ts';
import { tables } from '../../../sql/tables.ts';
import { sql } from '../../../sql/tag.ts';

/** A row of `m<key>` for every record that is written or deleted, numbered as they come. */
export async function noteWrites(db: Connection, schema: string, key: number): Promise<void> {
  const notes = `${schema}.m${key}`;
  await db.exec(`
    CREATE TABLE ${notes} (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, seq bigint NOT NULL);
    CREATE FUNCTION ${notes}_note() RETURNS trigger LANGUAGE plpgsql AS $note$
      BEGIN
        IF TG_OP = 'DELETE' THEN
          INSERT INTO ${notes} (seq) VALUES (OLD.seq);
        ELSE
          INSERT INTO ${notes} (seq) VALUES (NEW.seq);
        END IF;
        RETURN NULL;
      END
    $note$;
    CREATE TRIGGER m${key}_note AFTER INSERT OR UPDATE OR DELETE ON ${schema}.r${key}
      FOR EACH ROW EXECUTE FUNCTION ${notes}_note();`);
}

/** The table is looked up first: dropping a trigger, even one that is not there, would wait for everyone who reads. */
export async function stopNoting(db: Connection, schema: string, key: number): Promise<void> {
  const row = await db.row(sql`
    SELECT 1 FROM pg_catalog.pg_class
    WHERE relname = ${`m${key}`} AND relnamespace = to_regnamespace(${schema})`);
  if (!row) return;
  await db.exec(`
    DROP TRIGGER IF EXISTS m${key}_note ON ${schema}.r${key};
    DROP FUNCTION IF EXISTS ${schema}.m${key}_note();
    DROP TABLE ${schema}.m${key};`);
}

/** What changes left behind whose process ended before they did. Only for whoever holds the lock for changes. */
export async function forgetInterrupted(db: Connection, schema: string): Promise<void> {
  const found = await db.rows(sql`
    SELECT substr(relname::text, 2) FROM pg_catalog.pg_class
    WHERE relkind = 'r' AND relname::text ~ '^m[0-9]+$' AND relnamespace = to_regnamespace(${schema})`);
  for (const [key] of found) await stopNoting(db, schema, Number(key));
  await db.run(sql`UPDATE ${tables.garbage} SET ready = 1 WHERE ready = 0`);
}
