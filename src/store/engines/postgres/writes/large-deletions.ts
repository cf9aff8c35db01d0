import { setTimeout as sleep } from 'node:timers/promises';
import type { Writes } from '../../../sql/transaction.ts';
import { translating } from '../connection/faults.ts';
import type { Pool } from '../connection/pool.ts';
import type { Session } from '../connection/session.ts';
import { requireLock } from '../connection/session-locks.ts';
import type { TransactionWay } from '../connection/transact.ts';
import type { ProjectTransactions } from '../project-transactions.ts';
import { lockToWrite, tryToDelete } from './locks.ts';

/** Serializes the large deletions of a project. */
export class LargeDeletions {
  readonly #pool: Pool;
  readonly #transactions: ProjectTransactions;
  readonly #seq: number;
  /** Settles when the last deletion queued in this process has ended. */
  #deletion: Promise<void> | undefined;

  constructor(pool: Pool, transactions: ProjectTransactions, seq: number) {
    this.#pool = pool;
    this.#transactions = transactions;
    this.#seq = seq;
  }

  /**
   * Runs one large deletion at a time across all nodes; each of its transactions is short. Those of this process wait for one
   * another here, so that they take one connection instead of one each. undefined: another one is under way, and `waits` is
   * false.
   */
  async run<T>(work: (writes: Writes) => Promise<T>, waits: boolean): Promise<T | undefined> {
    const before = this.#deletion;
    if (before && !waits) return undefined;
    const deletion = (before ?? Promise.resolve()).then(() =>
      translating(this.#pool.beside((keeper) => this.#delete(keeper, work, waits))),
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
      await sleep(50);
    }
    const begin = `BEGIN; ${lockToWrite(this.#seq)}`;
    const way: TransactionWay = { begin, repeatable: true, use: { within: Number.POSITIVE_INFINITY } };
    const check = () => requireLock(keeper); // without the lock, another node takes over the deletion
    return work({ write: (step) => this.#transactions.write({ way, step, check }) });
  }
}
