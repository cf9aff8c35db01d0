import { type Awaitable, after } from '../../../awaitable.ts';
import type { ColumnValue } from '../../../model/field.ts';
import type { Schemas } from '../../known-schemas.ts';
import { newVersion } from '../../new-version.ts';
import type { CollectionRef } from '../../plans.ts';
import { type Schema, StaleSchema, type StoredCollection } from '../../schema.ts';
import { ChangeLog, type ChangeLogState } from '../changes/change-log.ts';
import type { Connection } from '../dialect.ts';
import { loadSchema } from '../schema/load-schema.ts';
import { tables } from '../tables.ts';
import { raw, sql } from '../tag.ts';
import type { Counter, TakenPlaces, Transaction } from '../transaction.ts';
import { FoundReferences } from './found-references.ts';

/** Returns the new version. */
export async function replaceSchemaVersion(db: Connection): Promise<number> {
  const version = newVersion();
  await db.run(sql`UPDATE ${tables.meta} SET value = ${version} WHERE name = 'schema'`);
  return version;
}

/** For a collection in which nothing is created: only deletions count. */
const withoutPlaces: Counter = { total: 0, seq: 0, created: 0, end: { seq: 0, created: 0 } };

const columns = raw('total, seq, created');

function readCounter(row: readonly ColumnValue[]): Counter {
  const [total = 0, seq = 0, created = 0] = row.map(Number);
  return { total, seq, created };
}

interface State {
  readonly counters: ReadonlyMap<number, Counter>;
  readonly touched: ReadonlySet<number>;
  readonly version: number | undefined;
  readonly log: ChangeLogState;
}

/** What one transaction knows of the collections that it writes to; `write` stores it at the end. */
export class Counters implements Transaction {
  readonly db: Connection;
  readonly log = new ChangeLog();
  readonly found = new FoundReferences();
  work = 0;
  readonly #schemas: Schemas;
  #counters = new Map<number, Counter>();
  /** Counters that are locked but not used yet. */
  readonly #locked = new Map<number, Counter>();
  #touched = new Set<number>();
  readonly #left: Promise<unknown>[] = [];
  readonly #taken: TakenPlaces | undefined;
  /** Version of the schema; read once per transaction. */
  #version: number | undefined;
  #latestTime = Number.NaN;

  /** `taken`: for engines where counters are not locked for the length of a transaction. It then counts separately. */
  constructor(db: Connection, schemas: Schemas, taken?: TakenPlaces) {
    this.db = db;
    this.#schemas = schemas;
    this.#taken = taken;
  }

  /** The state to return to if one of several steps is rolled back. */
  save(): State {
    const counters = new Map([...this.#counters].map(([key, counter]) => [key, { ...counter }]));
    return { counters, touched: new Set(this.#touched), version: this.#version, log: this.log.save() };
  }

  restore({ counters, touched, version, log }: State): void {
    this.log.restore(log);
    this.found.forget();
    this.#counters = new Map(counters);
    this.#touched = new Set(touched);
    this.#version = version;
  }

  schema(version: number): Awaitable<Schema> {
    const known = this.#version === version ? this.#schemas.find(version) : undefined;
    return known ?? this.#loadSchema(version);
  }

  readonly currentSchema = async (): Promise<Schema> => {
    return this.schema(this.#version ?? (await this.#readVersion()));
  };

  collection(ref: CollectionRef): Awaitable<StoredCollection> {
    return after(this.schema(ref.version), () => this.#schemas.collection(ref));
  }

  /** What it loads is committed: nobody makes plans under a schema that this very transaction creates. */
  async #loadSchema(version: number): Promise<Schema> {
    if ((this.#version ?? (await this.#readVersion())) !== version) throw new StaleSchema();
    return this.#schemas.find(version) ?? this.#schemas.keep(await loadSchema(this.db));
  }

  async #readVersion(): Promise<number> {
    const { latestTime } = this.db.dialect;
    const row = await this.db.row(sql`SELECT value, ${latestTime} FROM ${tables.meta} WHERE name = 'schema'`);
    this.#latestTime = Number(row?.[1]);
    this.#version ??= Number(row?.[0]);
    return this.#version;
  }

  notAhead(at: number): number {
    if (Number.isNaN(this.#latestTime)) throw new Error('the transaction has not looked at its schema yet');
    return Math.min(at, this.#latestTime);
  }

  counter({ key }: StoredCollection): Awaitable<Counter> {
    return this.#counters.get(key) ?? this.#beginCounter(key);
  }

  async #beginCounter(key: number): Promise<Counter> {
    const counter = { ...(this.#locked.get(key) ?? (await this.#readCounter(key))) };
    this.#counters.set(key, counter);
    return counter;
  }

  async #readCounter(key: number): Promise<Counter> {
    if (this.#taken) return (await this.#taken(key)) ?? withoutPlaces;
    const row = await this.db.row(
      sql`SELECT ${columns} FROM ${tables.counters} WHERE collection = ${key}${this.db.dialect.forUpdate}`,
    );
    return readCounter(row ?? []);
  }

  async lockCounters(collections: Iterable<StoredCollection>): Promise<void> {
    const { dialect } = this.db;
    const keys = [...new Set([...collections].map(({ key }) => key))].sort((one, other) => one - other);
    // Pipelined.
    const locked = keys.map((key) => dialect.lockName(this.db, `batch ${key}`));
    const read = this.#taken
      ? []
      : this.db.rows(sql`
          SELECT ${columns}, collection FROM ${tables.counters}
          WHERE collection IN (${dialect.values(keys, 'integer')}) ORDER BY collection${dialect.forUpdate}`);
    const [rows] = await Promise.all([read, ...locked]);
    for (const row of rows) this.#locked.set(Number(row[3]), readCounter(row));
  }

  leave(work: Promise<unknown>): void {
    work.catch(() => {}); // `write` reports it
    this.#left.push(work);
  }

  touch({ key }: StoredCollection): void {
    this.#touched.add(key);
  }

  lockSchema(): Awaitable<void> {}

  /** For a transaction that has had to wait since. */
  protected async verifySchema(): Promise<void> {
    const known = this.#version;
    if (known === undefined) return;
    this.#version = undefined;
    if ((await this.#readVersion()) !== known) throw new StaleSchema();
  }

  async schemaChanged(): Promise<void> {
    this.#version = await replaceSchemaVersion(this.db);
  }

  /** How far the transaction has counted in a collection, by key, if at all. */
  counted(key: number): Counter | undefined {
    return this.#counters.get(key);
  }

  /** Keys of the collections that were written to. */
  written(): Set<number> {
    return new Set([...this.#counters.keys(), ...this.#touched]);
  }

  /** The statements are pipelined. Returns whether changes were logged. */
  async write(): Promise<boolean> {
    const { db } = this;
    const counted = [...this.#counters].map(([key, { total, seq, created }]) => {
      if (this.#taken) return db.dialect.touch(db, key, total);
      return db.run(sql`
        UPDATE ${tables.counters} SET total = ${total}, seq = ${seq}, created = ${created}, version = ${newVersion()}
        WHERE collection = ${key}`);
    });
    const others = [...this.#touched].filter((key) => !this.#counters.has(key));
    const touched = others.map((key) => db.dialect.touch(db, key, 0));
    const changes = this.log.take();
    const logged = changes.length > 0 && db.dialect.logChanges(db, changes);
    await Promise.all([...this.#left, ...counted, ...touched, logged]);
    return changes.length > 0;
  }
}
