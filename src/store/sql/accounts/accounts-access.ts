import type { Awaitable } from '../../../awaitable.ts';
import type { Connection } from '../dialect.ts';
import type { Transaction } from '../transaction.ts';

/** How calls reach the tables that do not belong to collections. Several writes may run at the same time. */
export interface AccountsAccess {
  read<T>(work: (db: Connection) => Awaitable<T>): Promise<T>;
  /** The step happens as a whole or not at all. */
  write<T>(step: (transaction: Pick<Transaction, 'db'>) => Awaitable<T>): Promise<T>;
}
