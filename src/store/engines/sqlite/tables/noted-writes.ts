import type { Connection } from '../../../sql/dialect.ts';
import { tables } from '../../../sql/tables.ts';
import { raw, sql } from '../../../sql/tag.ts';

const events = [
  ['INSERT', 'new'],
  ['UPDATE', 'new'],
  ['DELETE', 'old'],
] as const;

export async function noteWrites(db: Connection, key: number): Promise<void> {
  await db.exec(`CREATE TABLE m${key} (n INTEGER PRIMARY KEY, seq INTEGER NOT NULL)`);
  for (const [event, row] of events) {
    await db.exec(`
      CREATE TRIGGER m${key}_${event.toLowerCase()} AFTER ${event} ON r${key}
      BEGIN INSERT INTO m${key} (seq) VALUES (${row}.seq); END`);
  }
}

export async function stopNoting(db: Connection, key: number): Promise<void> {
  for (const [event] of events) await db.exec(`DROP TRIGGER IF EXISTS m${key}_${event.toLowerCase()}`);
  await db.exec(`DROP TABLE IF EXISTS m${key}`);
}

/** After a crash: removes the triggers of schema changes that were under way. What else they left is garbage. */
export async function forgetInterrupted(db: Connection): Promise<void> {
  const found = await db.rows(
    raw("SELECT substr(name, 2) FROM sqlite_schema WHERE type = 'table' AND name GLOB 'm[0-9]*'"),
  );
  for (const [key] of found) await stopNoting(db, Number(key));
  await db.run(sql`UPDATE ${tables.garbage} SET ready = 1`);
}
