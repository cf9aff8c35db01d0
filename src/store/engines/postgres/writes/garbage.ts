import { tables } from '../../../sql/tables.ts';
import { sql } from '../../../sql/tag.ts';
import type { ProjectDatabase } from '../project-database.ts';
import { briefly } from './lock-tries.ts';

const soon = 1_000;
const later = 60_000;

/**
 * Drops the tables of deleted collections, and what was left behind by schema changes whose node died. Any node does this when
 * nobody reads the tables.
 */
export class GarbageCollector {
  readonly #database: ProjectDatabase;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #stopped = false;

  constructor(database: ProjectDatabase) {
    this.#database = database;
  }

  wake(delay = soon): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#running = this.#run().catch(() => this.wake(later)); // somebody still reads them, or there is an outage
    }, delay);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    await this.#database.changes.forgetInterrupted();
    for (let more = true; more && !this.#stopped; ) more = await this.#removeOne();
    await this.#database.changes.dropTriggers();
  }

  /** Returns whether there may be more. Readers of the tables are held up no longer than its lock timeout. */
  #removeOne(): Promise<boolean> {
    const { schema } = this.#database;
    return this.#database.write(async ({ db }) => {
      await db.exec(briefly);
      const row = await db.row(
        sql`SELECT key FROM ${tables.garbage} WHERE ready = 1 LIMIT 1 FOR UPDATE SKIP LOCKED`,
      );
      if (!row) return false;
      const key = Number(row[0]);
      const found = await db.rows(sql`
        SELECT relname::text FROM pg_catalog.pg_class
        WHERE relkind = 'r' AND relnamespace = to_regnamespace(${schema})
          AND relname::text ~ ${`^([rsp]${key}|l${key}_[0-9]+)$`}`);
      for (const [table] of found) await db.exec(`DROP TABLE ${schema}.${table} CASCADE`);
      await db.exec(`DROP FUNCTION IF EXISTS ${schema}.m${key}_note()`);
      await db.run(sql`DELETE FROM ${tables.touches} WHERE collection = ${key}`);
      await db.run(sql`DELETE FROM ${tables.garbage} WHERE key = ${key}`);
      return true;
    });
  }
}
