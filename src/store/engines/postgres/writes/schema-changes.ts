import type { Connection } from '../../../sql/dialect.ts';
import { raw } from '../../../sql/tag.ts';
import type { Writes } from '../../../sql/transaction.ts';
import { translating } from '../connection/faults.ts';
import type { Pool } from '../connection/pool.ts';
import type { Session } from '../connection/session.ts';
import { requireLock, takeLock } from '../connection/session-locks.ts';
import { unlimited, unlimitedTimes } from '../connection/transact.ts';
import type { ProjectTransactions } from '../project-transactions.ts';
import { briefly, withLockRetries } from './lock-tries.ts';
import { lockAlone, lockToChange, tryToChange } from './locks.ts';
import { dropTriggers, forgetInterrupted } from './noted-writes.ts';
import { SchemaCounters } from './schema-counters.ts';

/** Schema changes of a project, and the cleanup after them. */
export class SchemaChanges {
  readonly #pool: Pool;
  readonly #transactions: ProjectTransactions;
  readonly #seq: number;

  constructor(pool: Pool, transactions: ProjectTransactions, seq: number) {
    this.#pool = pool;
    this.#transactions = transactions;
    this.#seq = seq;
  }

  /**
   * Changes the schema, one change at a time across all nodes: whoever holds the lock knows that any leftovers are from changes
   * that were interrupted.
   */
  run<T>(work: (writes: Writes) => Promise<T>): Promise<T> {
    const transactions = this.#transactions;
    const run = async (keeper: Session) => {
      await takeLock(keeper, lockToChange(this.#seq));
      const way = (timeout: string) => ({ begin: `BEGIN; ${unlimitedTimes}; ${timeout}`, ...unlimited });
      await withLockRetries((timeout) =>
        transactions.run(way(timeout), (db) => forgetInterrupted(db, transactions.schema)),
      );
      const countersOf = (db: Connection) =>
        new SchemaCounters(db, transactions.schemas, lockAlone(this.#seq));
      // Without the lock, another change may have begun and have cleaned up ours as interrupted.
      const check = () => requireLock(keeper);
      return work({
        write: (step) =>
          withLockRetries(async (timeout) => {
            check();
            return transactions.write({ way: way(timeout), step, countersOf, check });
          }),
      });
    };
    return translating(this.#pool.beside(run));
  }

  /**
   * Cleans up after interrupted changes, unless a change is under way. Until then every write to their collections is still
   * recorded, for nobody.
   */
  forgetInterrupted(): Promise<void> {
    return this.#unlessChanging((db) => forgetInterrupted(db, this.#transactions.schema));
  }

  /** Drops triggers left behind by earlier changes, unless a change is under way. */
  dropTriggers(): Promise<void> {
    return this.#unlessChanging((db) => dropTriggers(db, this.#transactions.schema));
  }

  async #unlessChanging(work: (db: Connection) => Promise<void>): Promise<void> {
    await this.#transactions.run({ begin: `BEGIN; ${briefly}`, repeatable: false }, async (db) => {
      if ((await db.row(raw(tryToChange(this.#seq))))?.[0]) await work(db);
    });
  }
}
