import { newOrigin } from '../../../sql/changes/origin.ts';
import type { Database } from '../connection/database.ts';

export function createProjectTables(db: Database): void {
  db.exec(`
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO meta (name, value) VALUES ('schema', 1), ('key', 0);
    CREATE TABLE collections (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      definition TEXT NOT NULL,
      field_keys TEXT NOT NULL
    );
    CREATE TABLE counters (
      collection INTEGER PRIMARY KEY,
      total INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      created INTEGER NOT NULL,
      version INTEGER NOT NULL
    );
    CREATE TABLE sizes (collection INTEGER PRIMARY KEY, largest INTEGER NOT NULL);
    CREATE TABLE garbage (key INTEGER PRIMARY KEY, ready INTEGER NOT NULL);
    CREATE TABLE idempotency (
      realm TEXT NOT NULL,
      key TEXT NOT NULL,
      digest TEXT NOT NULL,
      results TEXT NOT NULL,
      created INTEGER NOT NULL,
      PRIMARY KEY (realm, key)
    ) WITHOUT ROWID;
    CREATE INDEX idempotency_created ON idempotency (created);
    CREATE TABLE deletions (at bigint NOT NULL, carrying bigint NOT NULL);
    CREATE TABLE doomed (
      n bigint PRIMARY KEY,
      collection bigint NOT NULL,
      id text NOT NULL,
      stage bigint NOT NULL,
      relation bigint NOT NULL,
      last bigint NOT NULL,
      UNIQUE (collection, id)
    );
    CREATE INDEX doomed_stage ON doomed (stage, n);
    CREATE TABLE touched (collection INTEGER PRIMARY KEY, changes INTEGER NOT NULL);
    CREATE TABLE changes (
      pos INTEGER PRIMARY KEY,
      mark INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      collection INTEGER NOT NULL,
      id TEXT NOT NULL,
      at INTEGER NOT NULL,
      owner TEXT,
      workspace TEXT,
      old_owner TEXT,
      old_workspace TEXT
    );
    CREATE INDEX changes_handover ON changes (collection, id) WHERE kind = 5;
  `);
  db.run(newOrigin());
}
