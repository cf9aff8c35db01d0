import { setTimeout as sleep } from 'node:timers/promises';
import type { LogStore } from '../../../changes.ts';
import { findRevoked } from '../../../sql/accounts/find-revoked.ts';
import { readChanges } from '../../../sql/changes/read-changes.ts';
import { readEntries, readNewest, type Watermark } from '../../../sql/changes/read-log.ts';
import { readLogged } from '../../../sql/changes/read-logged.ts';
import { removeOldChanges } from '../../../sql/changes/retention.ts';
import type { Connection } from '../../../sql/dialect.ts';
import type { ProjectDatabase } from '../project-database.ts';
import { readWatermark } from './watermark.ts';

/** Milliseconds between checks whether pending writes have ended, and the longest wait: a commit takes a few, unless it hangs. */
const pauses = { first: 2, last: 200 } as const;
const longest = 3_000;

/** The log of a project. Its watermark is read before the snapshot that the rest is read in. */
export function postgresLog(database: ProjectDatabase): LogStore {
  const { schema, schemas } = database;
  const reached = { pos: 0 };
  const look = () => database.read((db) => readWatermark(db, schema, reached));
  /** Waits for the writes that are under way now: what is already committed may come after them in the log. */
  const lookSettled = async (): Promise<Watermark> => {
    const latest = performance.now() + longest;
    let watermark = await look();
    const { drawn } = watermark;
    for (let pause: number = pauses.first; watermark.pos < drawn && performance.now() < latest; pause *= 2) {
      await sleep(Math.min(pause, pauses.last));
      watermark = await look();
    }
    return watermark;
  };
  const below = async <T>(
    work: (db: Connection, watermark: Watermark) => Promise<T>,
    settled = false,
  ): Promise<T> => {
    const watermark = await (settled ? lookSettled() : look());
    return database.readTogether((db) => work(db, watermark));
  };
  return {
    read: (plan) =>
      below(
        (db, watermark) => readChanges(db, ({ ref }) => schemas.collection(ref), plan, watermark),
        plan.settled,
      ),
    entries: (after) => below((db, watermark) => readEntries(db, after, watermark)),
    logged: (after, limit) => below((db, watermark) => readLogged(db, after, limit, watermark)),
    newest: () => below(readNewest),
    findRevoked: (authorities, now) => database.accounts.read((db) => findRevoked(db, authorities, now)),
    forget: (before) => removeOldChanges(database, before),
    watch: (changed) => database.watch(changed),
  };
}
