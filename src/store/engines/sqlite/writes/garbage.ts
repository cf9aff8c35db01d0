import type { Connection } from '../../../sql/dialect.ts';
import { Pace } from '../../../sql/pace.ts';
import { tables } from '../../../sql/tables.ts';
import { raw, sql } from '../../../sql/tag.ts';
import type { Writes } from '../../../sql/transaction.ts';

/** Rows in one transaction. */
const mostRows = 500;

/** Removes the tables of collections that are no more, a little at a time: a large table takes long to drop. */
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
      .catch(() => {}) // a full disk, say: it is tried again at the next wake or start
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

/** One piece of work; says whether there is more. */
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
 * Whether the table is empty after taking some rows away. That of words is dropped as it is: the tables that it consists of may
 * not be modified by others, and to take rows out of it makes it larger.
 */
async function emptied(db: Connection, table: string, rows: number): Promise<boolean> {
  if (table.startsWith('t')) return true;
  const id = raw(table.startsWith('l') ? 'value, seq' : 'seq');
  const removed = await db.run(sql`
    DELETE FROM ${raw(table)} WHERE (${id}) IN (SELECT ${id} FROM ${raw(table)} LIMIT ${rows})`);
  return removed < rows;
}
