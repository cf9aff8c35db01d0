import type { Connection } from '../../../sql/connection.ts';
import { raw, sql } from '../../../sql/tag.ts';

/** A row of `m<key>` for every record that is written or deleted, numbered as they come. */
export async function noteWrites(db: Connection, schema: string, key: number): Promise<void> {
  await db.exec(`
    CREATE TABLE m${key} (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, seq bigint NOT NULL);
    CREATE FUNCTION ${schema}.m${key}_note() RETURNS trigger LANGUAGE plpgsql AS $note$
      BEGIN
        IF TG_OP = 'DELETE' THEN
          INSERT INTO m${key} (seq) VALUES (OLD.seq);
        ELSE
          INSERT INTO m${key} (seq) VALUES (NEW.seq);
        END IF;
        RETURN NULL;
      END
    $note$;
    CREATE TRIGGER m${key}_note AFTER INSERT OR UPDATE OR DELETE ON r${key}
      FOR EACH ROW EXECUTE FUNCTION ${schema}.m${key}_note();`);
}

/** The table is looked for first: dropping a trigger, even one that is not there, would wait for everyone who reads. */
export async function stopNoting(db: Connection, schema: string, key: number): Promise<void> {
  const row = await db.row(sql`
    SELECT 1 FROM pg_catalog.pg_class
    WHERE relname = ${`m${key}`} AND relnamespace = to_regnamespace(${schema})`);
  if (!row) return;
  await db.exec(`
    DROP TRIGGER IF EXISTS m${key}_note ON r${key};
    DROP FUNCTION IF EXISTS ${schema}.m${key}_note();
    DROP TABLE m${key};`);
}

/** What changes left behind whose process ended before they did. Only for whoever holds the lock for changes. */
export async function forgetInterrupted(db: Connection, schema: string): Promise<void> {
  const tables = await db.rows(sql`
    SELECT substr(relname::text, 2) FROM pg_catalog.pg_class
    WHERE relkind = 'r' AND relname::text ~ '^m[0-9]+$' AND relnamespace = to_regnamespace(${schema})`);
  for (const [key] of tables) await stopNoting(db, schema, Number(key));
  await db.run(raw('UPDATE garbage SET ready = 1 WHERE ready = 0'));
}
