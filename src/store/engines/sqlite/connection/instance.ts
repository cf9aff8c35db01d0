import type { Awaitable } from '../../../../awaitable.ts';
import type { AccountsAccess } from '../../../sql/accounts/accounts-access.ts';
import type { Database } from './database.ts';
import type { SqliteDriver } from './driver.ts';
import { openFile, upgradeFile } from './project-file.ts';

export interface Instance extends AccountsAccess {
  close(): Promise<void>;
}

/**
 * The last turn of each file. Two connections of one process take turns too: one that waited for the other's lock would
 * keep it from ever going on.
 */
const turns = new Map<string, Promise<unknown>>();

/**
 * `instance.db`: the projects and the administrators. All of it goes by one connection, so everything takes its
 * turn: a transaction has pauses, in which nobody may begin another or read what is not committed.
 */
export function openInstance(driver: SqliteDriver, path: string): Instance {
  const db = openFile(driver, path, createInstanceTables);
  const upgraded = upgradeFile(db, 'instance');
  upgraded.catch(() => {}); // whoever comes next is told
  const inTurn = <T>(work: () => Awaitable<T>): Promise<T> => {
    const turn = (turns.get(path) ?? Promise.resolve()).then(() => upgraded).then(work);
    const over = turn
      .catch(() => {})
      .then(() => {
        if (turns.get(path) === over) turns.delete(path);
      });
    turns.set(path, over);
    return turn;
  };
  return {
    read: (work) => inTurn(() => work(db)),
    write: (step) => inTurn(() => transaction(db, async () => step({ db }))),
    async close() {
      await turns.get(path);
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

function createInstanceTables(db: Database): void {
  db.exec(`
    CREATE TABLE projects (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      auth TEXT NOT NULL,
      created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      changes_days INTEGER
    );
    CREATE TABLE unfinished (id TEXT PRIMARY KEY, token TEXT NOT NULL, project TEXT) WITHOUT ROWID;
    CREATE TABLE administrators (email TEXT PRIMARY KEY, password TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE setup (digest TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE administrator_signins (
      digest TEXT PRIMARY KEY,
      email TEXT NOT NULL,
      used INTEGER NOT NULL,
      ends INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE administrator_invitations (
      email TEXT PRIMARY KEY,
      digest TEXT NOT NULL,
      expires INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE administrator_tickets (
      digest TEXT PRIMARY KEY,
      path TEXT NOT NULL,
      expires INTEGER NOT NULL,
      actor TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE audit (
      id TEXT PRIMARY KEY,
      at INTEGER NOT NULL,
      actor TEXT,
      action TEXT NOT NULL,
      project TEXT,
      target TEXT,
      address TEXT NOT NULL,
      request TEXT NOT NULL,
      outcome TEXT
    );
    CREATE INDEX audit_at ON audit (at);
    CREATE INDEX audit_actor ON audit (actor, id);
    CREATE INDEX audit_action ON audit (action, id);
    CREATE INDEX audit_project ON audit (project, id);
    CREATE TABLE administrator_factors (
      account text PRIMARY KEY,
      secret text NOT NULL,
      confirmed bigint NOT NULL,
      step bigint NOT NULL,
      failures text NOT NULL
    );
    CREATE TABLE administrator_recovery_codes (digest text PRIMARY KEY, account text NOT NULL);
    CREATE TABLE administrator_steps (
      digest text PRIMARY KEY,
      kind text NOT NULL,
      data text NOT NULL,
      expires bigint NOT NULL
    );
    CREATE TABLE backup_runs (
      id text PRIMARY KEY, project text NOT NULL, kind text NOT NULL, backup text NOT NULL, started bigint NOT NULL,
      beat bigint NOT NULL, status text NOT NULL, error text
    );
    CREATE TABLE leases (name text PRIMARY KEY, holder text NOT NULL, beat bigint NOT NULL);
    CREATE TABLE work (kind text NOT NULL, project text NOT NULL, PRIMARY KEY (kind, project));
  `);
}
