import { setTimeout as sleep } from 'node:timers/promises';
import type { Awaitable } from '../../../awaitable.ts';
import type { Schemas } from '../../known-schemas.ts';
import { ProjectGone, StaleSchema } from '../../schema.ts';
import type { AccountsAccess } from '../../sql/accounts/accounts-access.ts';
import type { Connection } from '../../sql/dialect.ts';
import { Counters } from '../../sql/records/counters.ts';
import type { Attempt, LongWrites, WriteStep, Writes } from '../../sql/transaction.ts';
import { refuseNewer } from '../../sql/upgrade.ts';
import type { InsertPlan } from '../../write-plans.ts';
import { isTableGone, translate, translating } from './connection/faults.ts';
import type { Pool } from './connection/pool.ts';
import type { RequestDeadline } from './connection/request-deadline.ts';
import type { Session } from './connection/session.ts';
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
import { LargeDeletions } from './writes/large-deletions.ts';
import { lockAlone, lockToWrite, tryToKeep } from './writes/locks.ts';
import { SchemaChanges } from './writes/schema-changes.ts';
import type { SearchUpkeep } from './writes/search-upkeep.ts';

export interface WriteOptions {
  /** Aborted when nobody waits for the write any more. */
  readonly signal?: AbortSignal | undefined;
  /** The records that it may create. */
  readonly creates?: readonly InsertPlan[];
  readonly repeatable?: TransactionWay['repeatable'];
}

/** The store's access to its project's tables. */
export class ProjectDatabase implements Writes, LongWrites {
  readonly #pool: Pool;
  readonly #signals: Signals;
  readonly #seq: number;
  readonly #transactions: ProjectTransactions;
  readonly changes: SchemaChanges;
  readonly largeDeletions: LargeDeletions;

  constructor(pool: Pool, signals: Signals, seq: number, trigrams: string | undefined) {
    this.#pool = pool;
    this.#signals = signals;
    this.#seq = seq;
    const transactions = new ProjectTransactions(pool, signals, seq, trigrams);
    this.#transactions = transactions;
    this.changes = new SchemaChanges(pool, transactions, seq);
    this.largeDeletions = new LargeDeletions(pool, transactions, seq);
  }

  get schema(): string {
    return this.#transactions.schema;
  }

  get searchUpkeep(): SearchUpkeep {
    return this.#transactions.searchUpkeep;
  }

  get schemas(): Schemas {
    return this.#transactions.schemas;
  }

  get deadline(): RequestDeadline {
    return this.#pool.deadline;
  }

  /** For one statement, or several that need not see the same snapshot. */
  read<T>(work: (db: Connection) => Awaitable<T>): Promise<T> {
    return translating(readOnly(this.#pool, async (session) => work(this.connect(session))));
  }

  /** Milliseconds after which an expensive read is cancelled. */
  get queryTimeout(): number {
    return this.#pool.queryTimeout;
  }

  /**
   * For a read whose cost grows with its collection. It uses a limited share of the connections, and has a time limit of its
   * own instead of the request's (Infinity: none). It is also cancelled on the server when nobody waits for it any more.
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

  /** For several statements that must see the same snapshot. */
  readTogether<T>(work: (db: Connection) => Awaitable<T>): Promise<T> {
    const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
    return translating(
      this.#transactions.run({ begin, repeatable: true, use: { lane: 'read' } }, (db) => work(db)),
    );
  }

  /**
   * One snapshot for as long as the work takes. The lock is a session lock taken before the transaction: waiting for a lock
   * inside it would already have fixed the snapshot. Without the lock, tables in the snapshot could be dropped meanwhile.
   */
  readLong<T>(work: (db: Connection, session: Session) => Promise<T>): Promise<T> {
    const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${unlimitedTimes}`;
    const readThrough = async (session: Session) => {
      // A change of the schema that is under way may take minutes, longer than any lock is waited for.
      while (!(await session.command(tryToKeep(this.#seq))).rows[0]?.[0]) await sleep(100);
      const read = (db: Connection) => work(db, session);
      return attemptOnce(session, begin, () => this.#transactions.connect(session).during(read));
    };
    return translating(this.#pool.beside(readThrough));
  }

  /** Calls `changed` when the change log may have grown, on any node. */
  watch(changed: () => void): () => void {
    return this.#signals.watch(this.schema, changed);
  }

  /** Writes records, and keeps the schema from changing meanwhile. If the signal is aborted, nothing is written. */
  write<T>(step: WriteStep<T>, { signal, creates, repeatable = true }: WriteOptions = {}): Promise<T> {
    const begin = `BEGIN; ${lockToWrite(this.#seq)}`;
    const way: TransactionWay = { begin, repeatable, ...(signal && { use: { signal } }) };
    return translating(this.#transactions.write({ way, step, creates }));
  }

  /** For users, workspaces and keys, which do not depend on the schema. */
  readonly accounts: AccountsAccess = {
    read: (work) => this.read(work).catch(gone),
    write: (step) =>
      translating(this.#transactions.run({ begin: 'BEGIN', repeatable: true }, (db) => step({ db }))).catch(
        gone,
      ),
  };

  /** The number of records is not known in advance, so the counters of their collections stay locked and others wait. */
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

  /** Whether an earlier version created the tables. */
  async isOutdated(): Promise<boolean> {
    const found = await this.read(findFormat).catch(noneIfGone);
    return found !== undefined && found < format;
  }

  /** Upgrades tables of an earlier version to the current format; nobody can write meanwhile. */
  async upgrade(): Promise<void> {
    const found = await this.read(findFormat).catch(noneIfGone);
    if (found === undefined) return; // whoever uses the project gets that error
    refuseNewer(found, format);
    if (found === format) return;
    // Check foreign keys at once: PostgreSQL can't create an index on a table with pending checks.
    const begin = `
      BEGIN; ${lockAlone(this.#seq)}; SET LOCAL statement_timeout = 0; SET CONSTRAINTS ALL IMMEDIATE`;
    const way: TransactionWay = { begin, repeatable: true, use: unlimited.use };
    await translating(this.#transactions.run(way, upgradeTables));
  }

  /** Through a session that the caller already holds. */
  connect(session: Session): Connection {
    return this.#transactions.connect(session);
  }
}

/** Thrown to roll back a transaction on purpose. */
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

function noneIfGone(error: unknown): undefined {
  if (!(error instanceof StaleSchema)) throw error;
}

/** Tables that no schema change touches are gone only if their project is. */
export function gone(error: unknown): never {
  throw error instanceof StaleSchema || isTableGone(error) ? new ProjectGone() : error;
}
