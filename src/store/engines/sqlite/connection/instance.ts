import type { Awaitable } from '../../../../awaitable.ts';
import type { AccountsAccess } from '../../../sql/accounts/accounts-access.ts';
import { createInstanceTables } from '../tables/system-tables.ts';
import type { Database } from './database.ts';
import type { SqliteDriver } from './driver.ts';
import { PathQueues } from './path-queues.ts';
import { openFile, upgradeFile } from './project-file.ts';

export interface Instance extends AccountsAccess {
  close(): Promise<void>;
}

/** Connections of one process take turns too: one that blocks on the other's lock would keep that one from ever finishing. */
const queues = new PathQueues();

/**
 * `instance.db` with the projects and administrators. Everything uses one connection and so takes turns: a transaction has
 * pauses during which nobody may begin another or read uncommitted data.
 */
export function openInstance(driver: SqliteDriver, path: string): Instance {
  const db = openFile(driver, path, createInstanceTables);
  const upgraded = upgradeFile(db, 'instance');
  upgraded.catch(() => {}); // reported to the next call
  const inTurn = <T>(work: () => Awaitable<T>): Promise<T> =>
    queues.run(path, async () => {
      await upgraded;
      return work();
    });
  return {
    read: (work) => inTurn(() => work(db)),
    write: (step) => inTurn(() => transaction(db, async () => step({ db }))),
    async close() {
      await queues.idle(path);
      await upgraded.catch(() => {});
      db.close();
    },
  };
}

async function transaction<T>(db: Database, work: () => Promise<T>): Promise<T> {
  const results: T[] = [];
  await db.longTransaction(async () => {
    results.push(await work());
    return 'commit';
  });
  return results[0] as T;
}
