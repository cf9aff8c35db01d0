import { newVersion } from '../../new-version.ts';
import { StaleSchema, type StoredCollection } from '../../schema.ts';
import type { Connection } from '../connection.ts';
import { raw, sql } from '../tag.ts';
import type { Counter, Transaction } from '../transaction.ts';

export async function readSchemaVersion(db: Connection): Promise<number> {
  return Number((await db.row(raw("SELECT value FROM meta WHERE name = 'schema'")))?.[0]);
}

/** Says which it is from now on. */
export async function replaceSchemaVersion(db: Connection): Promise<number> {
  const version = newVersion();
  await db.run(sql`UPDATE meta SET value = ${version} WHERE name = 'schema'`);
  return version;
}

interface State {
  readonly counters: ReadonlyMap<number, Counter>;
  readonly touched: ReadonlySet<number>;
  readonly version: number | undefined;
}

/** What one transaction knows of the collections it writes to; `write` at its end makes it last. */
export class Counters implements Transaction {
  readonly db: Connection;
  #counters = new Map<number, Counter>();
  #touched = new Set<number>();
  /** Of the schema; read once per transaction. */
  #version: number | undefined;

  constructor(db: Connection) {
    this.db = db;
  }

  /** To go back to when a step of several is undone. */
  save(): State {
    const counters = new Map([...this.#counters].map(([key, counter]) => [key, { ...counter }]));
    return { counters, touched: new Set(this.#touched), version: this.#version };
  }

  restore({ counters, touched, version }: State): void {
    this.#counters = new Map(counters);
    this.#touched = new Set(touched);
    this.#version = version;
  }

  async check({ schemaVersion }: Pick<StoredCollection, 'schemaVersion'>): Promise<void> {
    this.#version ??= await readSchemaVersion(this.db);
    if (this.#version !== schemaVersion) throw new StaleSchema();
  }

  async counter({ key }: StoredCollection): Promise<Counter> {
    const known = this.#counters.get(key);
    if (known) return known;
    const row = await this.db.row(
      sql`SELECT total, seq, created FROM counters WHERE collection = ${key}${this.db.dialect.forUpdate}`,
    );
    const [total = 0, seq = 0, created = 0] = (row ?? []).map(Number);
    const counter = { total, seq, created };
    this.#counters.set(key, counter);
    return counter;
  }

  touch({ key }: StoredCollection): void {
    this.#touched.add(key);
  }

  lockSchema(): void {}

  async schemaChanged(): Promise<void> {
    this.#version = await replaceSchemaVersion(this.db);
  }

  /** The collections that were written to, by key. */
  written(): Set<number> {
    return new Set([...this.#counters.keys(), ...this.#touched]);
  }

  async write(): Promise<void> {
    for (const [key, { total, seq, created }] of this.#counters) {
      await this.db.run(sql`
        UPDATE counters SET total = ${total}, seq = ${seq}, created = ${created}, version = ${newVersion()}
        WHERE collection = ${key}`);
    }
    for (const key of this.#touched) {
      if (this.#counters.has(key)) continue;
      await this.db.dialect.touch(this.db, key);
    }
  }
}
