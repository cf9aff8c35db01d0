import { StaleSchema, type StoredCollection } from '../../schema.ts';
import { raw, sql } from '../../sql/tag.ts';
import { type Database, TransactionLost } from './database.ts';

/** What the store knows of a collection without looking at its records. Written once per transaction. */
export interface Counter {
  total: number;
  /** The last one given. */
  seq: number;
  /** Of the last record, as creation times never run backwards. */
  created: number;
}

/** What a write step works with. */
export interface Transaction {
  readonly db: Database;
  /** Throws StaleSchema for a collection of an earlier schema. Every write of records begins with it. */
  check(collection: StoredCollection): void;
  /** To be changed together with the records; asking for it marks the collection as changed. */
  counter(collection: StoredCollection): Counter;
  /** Makes all plans under the schema so far stale. Every change of the schema ends with it. */
  schemaChanged(): void;
}

export type WriteStep<T> = (transaction: Transaction) => T;
/** Runs a step inside a transaction; one that throws leaves nothing behind. */
export type Attempt = (step: WriteStep<void>) => void;

interface Waiting {
  /** Whether it went through. */
  run(transaction: Transaction): boolean;
  settle(): void;
  fail(error: unknown): void;
}

const mostInGroup = 512;

/**
 * Group commit: writes that arrived together become one transaction and one fsync, and each is answered after
 * it. Each runs in a savepoint, so that one that is refused fails alone.
 */
export class Writer {
  readonly #db: Database;
  readonly #changed: (collections: Iterable<number>) => void;
  #queue: Waiting[] = [];
  #scheduled = false;
  /** By a transaction that waits: nothing else is written until it ends. */
  #held = false;

  /** `changed` hears, after each commit, to which collections (by key) records were written. */
  constructor(db: Database, changed: (collections: Iterable<number>) => void) {
    this.#db = db;
    this.#changed = changed;
  }

  write<T>(step: WriteStep<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let settle = (): void => {};
    this.#queue.push({
      run(transaction) {
        try {
          const result = transaction.db.savepoint(() => step(transaction));
          settle = () => resolve(result);
          return true;
        } catch (error) {
          if (error instanceof TransactionLost) throw error.cause;
          settle = () => reject(error);
          return false;
        }
      },
      settle: () => settle(),
      fail: reject,
    });
    this.#schedule();
    return promise;
  }

  /** One transaction for work that takes its time; other writes wait for its end. */
  async hold(work: (attempt: Attempt) => Promise<'commit' | 'rollback'>): Promise<void> {
    this.flush();
    this.#held = true;
    const counters = new Counters(this.#db);
    try {
      await this.#db.longTransaction(async () => {
        const end = await work((step) => counters.attempt(step));
        counters.write();
        return end;
      });
    } finally {
      this.#held = false;
      if (this.#queue.length > 0) this.#schedule();
    }
    this.#changed(counters.touched());
  }

  /** Commits what is waiting. For the end of the process. */
  flush(): void {
    while (this.#queue.length > 0) this.#commitGroup();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // After the requests that are being read in this turn of the event loop have joined the queue.
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#held) return;
      this.#commitGroup();
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  #commitGroup(): void {
    const group = this.#queue.splice(0, mostInGroup);
    if (group.length === 0) return;
    const counters = new Counters(this.#db);
    try {
      this.#db.transaction('BEGIN IMMEDIATE', () => {
        for (const waiting of group) counters.guard((transaction) => waiting.run(transaction));
        counters.write();
      });
    } catch (error) {
      for (const waiting of group) waiting.fail(error);
      return;
    }
    for (const waiting of group) waiting.settle();
    this.#changed(counters.touched());
  }
}

export function readSchemaVersion(db: Database): number {
  return Number(db.row(raw("SELECT value FROM meta WHERE name = 'schema'"))?.[0]);
}

/** The counters of the collections that a group of writes touches. */
class Counters {
  readonly #db: Database;
  #touched = new Map<number, Counter>();
  /** Of the schema; read once per group. */
  #version: number | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Runs one step; a refused one leaves all as it was. */
  guard(run: (transaction: Transaction) => boolean): void {
    const before = new Map([...this.#touched].map(([key, counter]) => [key, { ...counter }]));
    const version = this.#version;
    const done = run({
      db: this.#db,
      check: ({ schemaVersion }) => this.#check(schemaVersion),
      counter: (collection) => this.#find(collection.key),
      schemaChanged: () => this.#bump(),
    });
    if (done) return;
    this.#touched = before;
    this.#version = version;
  }

  /** Runs one step, and undoes it where it throws. */
  attempt(step: WriteStep<void>): void {
    const errors: unknown[] = [];
    this.guard((transaction) => {
      try {
        this.#db.savepoint(() => step(transaction));
      } catch (error) {
        if (error instanceof TransactionLost) throw error.cause;
        errors.push(error);
      }
      return errors.length === 0;
    });
    if (errors.length > 0) throw errors[0];
  }

  #check(version: number): void {
    this.#version ??= readSchemaVersion(this.#db);
    if (this.#version !== version) throw new StaleSchema();
  }

  #bump(): void {
    this.#db.run(raw("UPDATE meta SET value = value + 1 WHERE name = 'schema'"));
    this.#version = readSchemaVersion(this.#db);
  }

  #find(key: number): Counter {
    let counter = this.#touched.get(key);
    if (!counter) {
      const row = this.#db.row(sql`SELECT total, seq, created FROM counters WHERE collection = ${key}`);
      const [total = 0, seq = 0, created = 0] = (row ?? []).map(Number);
      counter = { total, seq, created };
      this.#touched.set(key, counter);
    }
    return counter;
  }

  touched(): Iterable<number> {
    return this.#touched.keys();
  }

  write(): void {
    for (const [key, { total, seq, created }] of this.#touched) {
      this.#db.run(sql`
        UPDATE counters SET total = ${total}, seq = ${seq}, created = ${created}, version = version + 1
        WHERE collection = ${key}`);
    }
  }
}
