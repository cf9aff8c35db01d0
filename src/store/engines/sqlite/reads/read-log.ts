import { setImmediate as turn } from 'node:timers/promises';
import type { LogStore } from '../../../changes.ts';
import type { Schemas } from '../../../known-schemas.ts';
import { findRevoked } from '../../../sql/accounts/find-revoked.ts';
import { readChanges } from '../../../sql/changes/read-changes.ts';
import { readEntries, readNewest, type Watermark } from '../../../sql/changes/read-log.ts';
import { readLogged } from '../../../sql/changes/read-logged.ts';
import type { Database } from '../connection/database.ts';
import { translate } from '../connection/faults.ts';
import { WorkQueue } from '../work-queue.ts';

/** There is a single writer, and what it has committed is visible: the log is complete to its end. */
const complete: Watermark = { pos: Number.MAX_SAFE_INTEGER, pending: false };

/** Milliseconds after which to yield to other work: a client that catches up reads many parts of a long log in succession. */
const longest = 2;

/** A project's change log, read through a connection of its own, opened on first use. */
export class LogReader implements Pick<LogStore, 'read' | 'entries' | 'logged' | 'newest' | 'findRevoked'> {
  readonly #open: () => Database;
  readonly #schemas: Schemas;
  #db: Database | undefined;
  /** A connection has one snapshot at a time. */
  readonly #queue = new WorkQueue();
  /** When it last yielded. */
  #gaveWay = 0;

  constructor(open: () => Database, schemas: Schemas) {
    this.#open = open;
    this.#schemas = schemas;
  }

  readonly read: LogStore['read'] = (plan) =>
    this.#inTurn((db) => readChanges(db, ({ ref }) => this.#schemas.collection(ref), plan, complete));

  readonly entries: LogStore['entries'] = (after) => this.#inTurn((db) => readEntries(db, after, complete));

  readonly logged: LogStore['logged'] = (after, limit) =>
    this.#inTurn((db) => readLogged(db, after, limit, complete));

  readonly newest: LogStore['newest'] = () => this.#inTurn((db) => readNewest(db, complete));

  readonly findRevoked: LogStore['findRevoked'] = (authorities, now) =>
    this.#inTurn((db) => findRevoked(db, authorities, now));

  async close(): Promise<void> {
    await this.#queue.idle();
    this.#db?.close();
  }

  #inTurn<T>(work: (db: Database) => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      await this.#giveWay();
      this.#db ??= this.#open();
      const db = this.#db;
      try {
        return await db.snapshot(() => work(db));
      } catch (error) {
        throw translate(error);
      }
    });
  }

  async #giveWay(): Promise<void> {
    if (performance.now() - this.#gaveWay < longest) return;
    await turn();
    this.#gaveWay = performance.now();
  }
}
