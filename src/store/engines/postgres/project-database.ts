import type { Awaitable } from '../../../awaitable.ts';
import type { Schemas } from '../../known-schemas.ts';
import { ProjectGone, StaleSchema } from '../../schema.ts';
import type { AccountsAccess } from '../../sql/accounts/accounts-access.ts';
import type { Connection } from '../../sql/dialect.ts';
import { Counters } from '../../sql/records/counters.ts';
import { raw } from '../../sql/tag.ts';
import type { Attempt, LongWrites, WriteStep, Writes } from '../../sql/transaction.ts';
import { refuseNewer } from '../../sql/upgrade.ts';
import type { InsertPlan } from '../../write-plans.ts';
import { isTableGone, translate } from './connection/faults.ts';
import type { Pool } from './connection/pool.ts';
import type { RequestDeadline } from './connection/request-deadline.ts';
import type { Session } from './connection/session.ts';
import { requireLock, takeLock } from './connection/session-locks.ts';
import type { Signals } from './connection/signals.ts';
import {
  attemptOnce,
  readOnly,
  type TransactionWay,
  unlimited,
  unlimitedTimes,
} from './connection/transact.ts';
import { ProjectTransactions } from './project-transactions.ts';
import { findFormat, upgradeTables } from './tables/project-format.ts';
import { format } from './tables/upgrades.ts';
import { briefly, inTries } from './writes/lock-tries.ts';
import {
  lockAlone,
  lockToChange,
  lockToWrite,
  lockUnchanged,
  tryToChange,
  tryToDelete,
} from './writes/locks.ts';
import { dropTriggers, forgetInterrupted } from './writes/noted-writes.ts';
import { SchemaCounters } from './writes/schema-counters.ts';

export interface WriteOptions {
  /** Says that nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
  /** The new records that it may write. */
  readonly creates?: readonly InsertPlan[];
}

/** How the store reaches the tables of its project. */
export class ProjectDatabase implements Writes, LongWrites {
  readonly #pool: Pool;
  readonly #signals: Signals;
  readonly #seq: number;
  readonly #transactions: ProjectTransactions;
  /** The end of the last large deletion that this process has under way. */
  #deletion: Promise<void> | undefined;

  constructor(pool: Pool, signals: Signals, seq: number, trigrams: string | undefined) {
    this.#pool = pool;
    this.#signals = signals;
    this.#seq = seq;
    this.#transactions = new ProjectTransactions(pool, signals, seq, trigrams);
  }

  get schema(): string {
    return this.#transactions.schema;
  }

  get schemas(): Schemas {
    return this.#transactions.schemas;
  }

  get deadline(): RequestDeadline {
    return this.#pool.deadline;
  }

  /** One statement, or several whose answers need not be of one moment. */
  read<T>(work: (db: Connection) => Awaitable<T>): Promise<T> {
    return translating(readOnly(this.#pool, async (session) => work(this.connect(session))));
  }

  /** Milliseconds after which a read is ended whose cost grows with its collection. */
  get queryTimeout(): number {
    return this.#pool.queryTimeout;
  }

  /**
   * A read whose cost grows with its collection. It has a part of the connections, and a time of its own instead of the
   * request's: none where it is unlimited. It ends on the server too when nobody waits for it any more.
   */
  readExpensive<T>(
    work: (db: Connection) => Awaitable<T>,
    signal: AbortSignal | undefined,
    timeout = this.queryTimeout,
  ): Promise<T> {
    const limited = Number.isFinite(timeout);
    const begin = `BEGIN READ ONLY; SET LOCAL statement_timeout = ${limited ? timeout : 0}`;
    const use = { lane: 'expensive', within: timeout + 1_000, statementTimeout: timeout } as const;
    const way = { begin, repeatable: true, use: { ...use, ...(signal && { signal }) } };
    return translating(this.#transactions.run(way, (db) => work(db)));
  }

  /** Several statements that see one moment. */
  readTogether<T>(work: (db: Connection) => Awaitable<T>): Promise<T> {
    const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
    return translating(
      this.#transactions.run({ begin, repeatable: true, use: { lane: 'read' } }, (db) => work(db)),
    );
  }

  /**
   * All that is read is of one moment, however long it takes. The lock is the session's, and taken before: what waits for
   * a lock inside a transaction has its moment behind it already. Without it, tables could be dropped that were there then.
   */
  readLong<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${unlimitedTimes}`;
    return this.#beside(async (session) => {
      await takeLock(session, lockUnchanged(this.#seq));
      return attemptOnce(session, begin, () => this.#transactions.connect(session).during(work));
    });
  }

  /** `changed` is called when the log of changes may have grown, by whatever node. */
  watch(changed: () => void): () => void {
    return this.#signals.watch(this.schema, changed);
  }

  /** Writes records, while nobody changes the schema. Where nobody waits for it any more, nothing is written. */
  write<T>(step: WriteStep<T>, { signal, creates }: WriteOptions = {}): Promise<T> {
    const begin = `BEGIN; ${lockToWrite(this.#seq)}`;
    const way: TransactionWay = { begin, repeatable: true, ...(signal && { use: { signal } }) };
    return translating(this.#transactions.write({ way, step, creates }));
  }

  /** For users, workspaces and keys, which no schema is about. */
  readonly accounts: AccountsAccess = {
    read: (work) => this.read(work).catch(gone),
    write: (step) =>
      translating(this.#transactions.run({ begin: 'BEGIN', repeatable: true }, (db) => step({ db }))).catch(
        gone,
      ),
  };

  /** How many records come is not known before: they take the counters of their collections, and others wait. */
  async hold(work: (attempt: Attempt) => Promise<'commit' | 'rollback'>): Promise<void> {
    const begin = `BEGIN; ${unlimitedTimes}; ${lockToWrite(this.#seq)}`;
    const step = async (counters: Counters) => {
      const end = await work((one) => attemptStep(counters, one));
      if (end === 'rollback') throw new Undone();
    };
    try {
      const countersOf = (db: Connection) => new Counters(db, this.schemas);
      await this.#transactions.write({ way: { begin, ...unlimited }, step, countersOf });
    } catch (error) {
      if (!(error instanceof Undone)) throw translate(error);
    }
  }

  /**
   * Changes the schema, one change at a time over all nodes: whoever holds the lock knows that what is left of
   * changes is of some that ended before their time.
   */
  change<T>(work: (writes: Writes) => Promise<T>): Promise<T> {
    const transactions = this.#transactions;
    return this.#beside(async (keeper) => {
      await takeLock(keeper, lockToChange(this.#seq));
      const way = (timeout: string) => ({ begin: `BEGIN; ${unlimitedTimes}; ${timeout}`, ...unlimited });
      await inTries((timeout) =>
        this.#transactions.run(way(timeout), (db) => forgetInterrupted(db, this.schema)),
      );
      const countersOf = (db: Connection) => new SchemaCounters(db, this.schemas, lockAlone(this.#seq));
      // Without the lock another change may have begun, and have taken ours for one that ended.
      const check = () => requireLock(keeper);
      return work({
        write: (step) =>
          inTries(async (timeout) => {
            check();
            return transactions.write({ way: way(timeout), step, countersOf, check });
          }),
      });
    });
  }

  /**
   * Large deletions happen one at a time over all nodes. Each of their transactions is short, but not all together. Those of
   * this process wait for one another here, so that they take one connection and not one each.
   */
  async exclusively<T>(work: (writes: Writes) => Promise<T>, waits: boolean): Promise<T | undefined> {
    const before = this.#deletion;
    if (before && !waits) return undefined;
    const deletion = (before ?? Promise.resolve()).then(() =>
      this.#beside((keeper) => this.#delete(keeper, work, waits)),
    );
    const ended = deletion.then(
      () => {},
      () => {},
    );
    this.#deletion = ended;
    try {
      return await deletion;
    } finally {
      if (this.#deletion === ended) this.#deletion = undefined;
    }
  }

  async #delete<T>(
    keeper: Session,
    work: (writes: Writes) => Promise<T>,
    waits: boolean,
  ): Promise<T | undefined> {
    while (!(await keeper.command(tryToDelete(this.#seq))).rows[0]?.[0]) {
      if (!waits) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const begin = `BEGIN; ${lockToWrite(this.#seq)}`;
    const way: TransactionWay = { begin, repeatable: true, use: { within: Number.POSITIVE_INFINITY } };
    const check = () => requireLock(keeper); // another node goes on with it
    return work({ write: (step) => this.#transactions.write({ way, step, check }) });
  }

  /** With a session that may hold locks over several transactions. */
  #beside<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return translating(this.#pool.beside(work));
  }

  /**
   * Unless a change is under way, tidies up after those that ended before their time: until then every write to
   * their collections is noted, for nobody.
   */
  forgetInterrupted(): Promise<void> {
    return this.#unlessChanging((db) => forgetInterrupted(db, this.schema));
  }

  /** Unless a change is under way, drops what those before it have left on the tables of collections. */
  dropTriggers(): Promise<void> {
    return this.#unlessChanging((db) => dropTriggers(db, this.schema));
  }

  async #unlessChanging(work: (db: Connection) => Promise<void>): Promise<void> {
    await this.#transactions.run({ begin: `BEGIN; ${briefly}`, repeatable: false }, async (db) => {
      if ((await db.row(raw(tryToChange(this.#seq))))?.[0]) await work(db);
    });
  }

  /** Whether an earlier version made the tables. */
  async isOutdated(): Promise<boolean> {
    const found = await this.read(findFormat).catch(noneIfGone);
    return found !== undefined && found < format;
  }

  /** Brings tables that an earlier version made to the format of this one; nobody writes meanwhile. */
  async upgrade(): Promise<void> {
    const found = await this.read(findFormat).catch(noneIfGone);
    if (found === undefined) return; // which is reported to whoever uses the project
    refuseNewer(found, format);
    if (found === format) return;
    // References are checked at once: PostgreSQL makes no index while checks of the table are still to come.
    const begin = `
      BEGIN; ${lockAlone(this.#seq)}; SET LOCAL statement_timeout = 0; SET CONSTRAINTS ALL IMMEDIATE`;
    const way: TransactionWay = { begin, repeatable: true, use: unlimited.use };
    await translating(this.#transactions.run(way, upgradeTables));
  }

  /** Through a session that somebody holds already. */
  connect(session: Session): Connection {
    return this.#transactions.connect(session);
  }
}

/** A transaction that was meant to be undone. */
class Undone extends Error {}

async function attemptStep(counters: Counters, step: WriteStep<void>): Promise<void> {
  const before = counters.save();
  try {
    await counters.db.dialect.attempt(counters.db, async () => step(counters));
  } catch (error) {
    counters.restore(before);
    throw error;
  }
}

function translating<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw translate(error);
  });
}

function noneIfGone(error: unknown): undefined {
  if (!(error instanceof StaleSchema)) throw error;
}

/** Tables that no change of a schema touches are gone only with their project. */
function gone(error: unknown): never {
  throw error instanceof StaleSchema || isTableGone(error) ? new ProjectGone() : error;
}
