import type { LogStore } from '../../../changes.ts';
import { findRevoked } from '../../../sql/accounts/find-revoked.ts';
import { readChanges } from '../../../sql/changes/read-changes.ts';
import { readEntries, readNewest, type Watermark } from '../../../sql/changes/read-log.ts';
import { readLogged } from '../../../sql/changes/read-logged.ts';
import { removeOldChanges } from '../../../sql/changes/retention.ts';
import type { Connection } from '../../../sql/dialect.ts';
import type { ProjectDatabase } from '../project-database.ts';
import { readWatermark } from './watermark.ts';

/** The log of a project. Its watermark is read before the snapshot that the rest is read in. */
export function postgresLog(database: ProjectDatabase): LogStore {
  const { schema, schemas } = database;
  const reached = { pos: 0 };
  const below = async <T>(work: (db: Connection, watermark: Watermark) => Promise<T>): Promise<T> => {
    const watermark = await database.read((db) => readWatermark(db, schema, reached));
    return database.readTogether((db) => work(db, watermark));
  };
  return {
    read: (plan) =>
      below((db, watermark) => readChanges(db, ({ ref }) => schemas.collection(ref), plan, watermark)),
    entries: (after) => below((db, watermark) => readEntries(db, after, watermark)),
    logged: (after, limit) => below((db, watermark) => readLogged(db, after, limit, watermark)),
    newest: () => below(readNewest),
    findRevoked: (authorities, now) => database.accounts.read((db) => findRevoked(db, authorities, now)),
    forget: (before) => removeOldChanges(database, before),
    watch: (changed) => database.watch(changed),
  };
}
