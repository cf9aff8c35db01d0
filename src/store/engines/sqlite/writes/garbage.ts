import type { Connection } from '../../../sql/dialect.ts';
import { Pace } from '../../../sql/pace.ts';
import { tables } from '../../../sql/tables.ts';
import { raw, sql } from '../../../sql/tag.ts';
import type { Writes } from '../../../sql/transaction.ts';

/** Rows per transaction. */
const mostRows = 500;

/** Removes the tables of deleted collections in small steps: dropping a large table takes long. */
export class GarbageCollector {
  readonly #writes: Writes;
  #running = false;
  #stopped = false;

  constructor(writes: Writes) {
    this.#writes = writes;
  }

  wake(): void {
    if (this.#running || this.#stopped) return;
    this.#running = true;
    void this.#run()
      .catch(() => {}) // for example a full disk: retried at the next wake or start
      .finally(() => {
        this.#running = false;
      });
  }

  stop(): void {
    this.#stopped = true;
  }

  async #run(): Promise<void> {
    const pace = new Pace(mostRows);
    for (;;) {
      if (this.#stopped) return;
      const more = await pace.step(
        this.#writes,
        (rows) =>
          ({ db }) =>
            removeSome(db, rows),
      );
      if (!more) return;
    }
  }
}

/** Does one piece of work. Returns whether there is more. */
async function removeSome(db: Connection, rows: number): Promise<boolean> {
  const row = await db.row(sql`SELECT key FROM ${tables.garbage} WHERE ready = 1 LIMIT 1`);
  if (!row) return false;
  const key = Number(row[0]);
  const found = await db.rows(
    sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN (${`r${key}`}, ${`s${key}`}, ${`p${key}`}, ${`t${key}`})`,
  );
  const valueTables = await db.rows(
    sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ${`l${key}_*`}`,
  );
  const [table] = [...valueTables, ...found].map(([name]) => String(name));
  if (table === undefined) await db.run(sql`DELETE FROM ${tables.garbage} WHERE key = ${key}`);
  else if (await emptied(db, table, rows)) await db.exec(`DROP TABLE ${table}`);
  return true;
}

/**
 * Deletes some rows. Returns whether the table can be dropped now. The full-text table is dropped as it is: its shadow tables
 * may not be modified directly, and deleting rows makes it larger.
 */
async function emptied(db: Connection, table: string, rows: number): Promise<boolean> {
  if (table.startsWith('t')) return true;
  const id = raw(table.startsWith('l') ? 'value, seq' : 'seq');
  const removed = await db.run(sql`
    DELETE FROM ${raw(table)} WHERE (${id}) IN (SELECT ${id} FROM ${raw(table)} LIMIT ${rows})`);
  return removed < rows;
}
