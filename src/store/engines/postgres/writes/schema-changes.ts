import type { Connection } from '../../../sql/dialect.ts';
import { raw } from '../../../sql/tag.ts';
import type { Writes } from '../../../sql/transaction.ts';
import { translating } from '../connection/faults.ts';
import type { Pool } from '../connection/pool.ts';
import type { Session } from '../connection/session.ts';
import { requireLock, takeLock } from '../connection/session-locks.ts';
import { unlimited, unlimitedTimes } from '../connection/transact.ts';
import type { ProjectTransactions } from '../project-transactions.ts';
import { briefly, inTries } from './lock-tries.ts';
import { lockAlone, lockToChange, tryToChange } from './locks.ts';
import { dropTriggers, forgetInterrupted } from './noted-writes.ts';
import { SchemaCounters } from './schema-counters.ts';

/** Changes of the schema of a project, and what they leave to be tidied up. */
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
   * Changes the schema, one change at a time over all nodes: whoever holds the lock knows that what is left of
   * changes is of some that ended before their time.
   */
  run<T>(work: (writes: Writes) => Promise<T>): Promise<T> {
    const transactions = this.#transactions;
    const run = async (keeper: Session) => {
      await takeLock(keeper, lockToChange(this.#seq));
      const way = (timeout: string) => ({ begin: `BEGIN; ${unlimitedTimes}; ${timeout}`, ...unlimited });
      await inTries((timeout) =>
        transactions.run(way(timeout), (db) => forgetInterrupted(db, transactions.schema)),
      );
      const countersOf = (db: Connection) =>
        new SchemaCounters(db, transactions.schemas, lockAlone(this.#seq));
      // Without the lock another change may have begun, and have taken ours for one that ended.
      const check = () => requireLock(keeper);
      return work({
        write: (step) =>
          inTries(async (timeout) => {
            check();
            return transactions.write({ way: way(timeout), step, countersOf, check });
          }),
      });
    };
    return translating(this.#pool.beside(run));
  }

  /**
   * Unless a change is under way, tidies up after those that ended before their time: until then every write to
   * their collections is noted, for nobody.
   */
  forgetInterrupted(): Promise<void> {
    return this.#unlessChanging((db) => forgetInterrupted(db, this.#transactions.schema));
  }

  /** Unless a change is under way, drops what those before it have left on the tables of collections. */
  dropTriggers(): Promise<void> {
    return this.#unlessChanging((db) => dropTriggers(db, this.#transactions.schema));
  }

  async #unlessChanging(work: (db: Connection) => Promise<void>): Promise<void> {
    await this.#transactions.run({ begin: `BEGIN; ${briefly}`, repeatable: false }, async (db) => {
      if ((await db.row(raw(tryToChange(this.#seq))))?.[0]) await work(db);
    });
  }
}
