import { raw, sql } from '../../sql/tag.ts';
import type { Database } from './database.ts';
import type { Writer } from './writer.ts';

const chunk = 500;

/** Removes the tables of collections that are no more, a little at a time: a large table takes long to drop. */
export class GarbageCollector {
  readonly #writer: Writer;
  #running = false;
  #stopped = false;

  constructor(writer: Writer) {
    this.#writer = writer;
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
    for (;;) {
      if (this.#stopped) return;
      const more = await this.#writer.write(({ db }) => removeSome(db));
      if (!more) return;
    }
  }
}

/** One piece of work; says whether there is more. */
function removeSome(db: Database): boolean {
  const row = db.row(raw('SELECT key FROM garbage WHERE ready = 1 LIMIT 1'));
  if (!row) return false;
  const key = Number(row[0]);
  const tables = db
    .rows(
      sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN (${`r${key}`}, ${`s${key}`}, ${`p${key}`}, ${`t${key}`})`,
    )
    .map(([name]) => String(name));
  const valueTables = db
    .rows(sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ${`l${key}_*`}`)
    .map(([name]) => String(name));
  const [table] = [...valueTables, ...tables];
  if (table === undefined) db.run(sql`DELETE FROM garbage WHERE key = ${key}`);
  else if (emptied(db, table)) db.exec(`DROP TABLE ${table}`);
  return true;
}

/** Whether the table is empty, or small enough to be dropped as it is, after taking some rows away. */
function emptied(db: Database, table: string): boolean {
  if (/^[pt]/.test(table)) return true;
  const id = raw(table.startsWith('l') ? 'value, seq' : 'seq');
  const removed = db.run(sql`
    DELETE FROM ${raw(table)} WHERE (${id}) IN (SELECT ${id} FROM ${raw(table)} LIMIT ${chunk})`);
  return removed < chunk;
}
