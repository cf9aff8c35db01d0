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

/** One writes, and what it has committed is there: the log is complete to its end. */
const complete: Watermark = { pos: Number.MAX_SAFE_INTEGER, pending: false };

/** Milliseconds after which others have their turn: whoever catches up reads one part of a long log after the other. */
const longest = 2;

/** The log of a project, by a connection of its own that is opened when it is first read. */
export class LogReader implements Pick<LogStore, 'read' | 'entries' | 'logged' | 'newest' | 'findRevoked'> {
  readonly #open: () => Database;
  readonly #schemas: Schemas;
  #db: Database | undefined;
  /** One connection has one snapshot at a time. */
  readonly #queue = new WorkQueue();
  /** When others last had their turn. */
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
