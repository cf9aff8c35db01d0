import type { Scope } from '../../../../access/scope.ts';
import type { StoredCollection } from '../../../schema.ts';
import { kinds } from '../../../sql/changes/change-log.ts';
import { tables } from '../../../sql/tables.ts';
import { sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import type { CachedRecord, RecordCache } from './record-cache.ts';

const logged = sql`
  SELECT (SELECT max(pos) FROM ${tables.changes}), EXISTS (SELECT 1 FROM ${tables.touched})`;

/** Changes that are looked through to find out what is no longer as it was, which takes a millisecond. */
const mostChanges = 4_000;

/**
 * The cached records of a project that are the same in the snapshot that a connection holds: what has changed since the last
 * one is in the change log, also where a definition has changed records. The log is read in the snapshot, so that no write can
 * come in between, whichever thread or process it is of.
 */
export class KnownRecords {
  readonly #db: Database;
  readonly #cache: RecordCache;
  /** Where records of a collection are cached, by its key. */
  readonly #spaces = new Map<number, number>();
  /** The snapshot that the cache agrees with, and the last position of the log in it. */
  #snapshot: object | undefined;
  #position: number | undefined;
  /** Whether a deletion is under way that may change records without logging each. */
  #isUncertain = false;

  constructor(db: Database, cache: RecordCache) {
    this.#db = db;
    this.#cache = cache;
    cache.enter();
  }

  /** undefined: it is not known. The schema must have been checked in the snapshot. */
  find(collection: StoredCollection, id: string, scope: Scope): string | undefined {
    if (this.#snapshot !== this.#db.held) this.#follow();
    return this.#isUncertain ? undefined : this.#cache.find(this.#spaceOf(collection), id, scope);
  }

  /** A record that was not known, and was read in the same snapshot. */
  keep(collection: StoredCollection, record: CachedRecord): void {
    if (!this.#isUncertain) this.#cache.keep(this.#spaceOf(collection), record);
  }

  close(): void {
    this.#cache.leave();
  }

  #spaceOf({ ref }: StoredCollection): number {
    const known = this.#spaces.get(ref.key);
    if (known !== undefined) return known;
    const space = this.#cache.newSpace();
    this.#spaces.set(ref.key, space);
    return space;
  }

  /** Makes the cache agree with the snapshot. */
  #follow(): void {
    const [last = 0, touched] = (this.#db.row(logged) ?? []).map(Number);
    this.#isUncertain = touched !== 0;
    if (this.#isUncertain || !this.#forgetUntil(last)) this.#spaces.clear();
    this.#position = last;
    this.#snapshot = this.#db.held;
  }

  /** `last`: the last position of the log now. false: it can't be told what has changed, or it is too much. */
  #forgetUntil(last: number): boolean {
    const position = this.#position ?? 0;
    if (this.#spaces.size === 0 || position === last) return true;
    if (last - position > mostChanges) return false;
    const [known, ...changes] = this.#db.rows(sql`
      SELECT pos, kind, collection, id FROM ${tables.changes}
      WHERE pos >= ${position} AND (pos = ${position} OR kind <> ${kinds.create}) ORDER BY pos`);
    if (known?.[0] !== position) return false; // old changes are removed in their order: some after it may be gone too
    for (const [, kind, collection, id] of changes) {
      const key = Number(collection);
      const space = this.#spaces.get(key);
      if (kind === kinds.refetch) this.#spaces.delete(key);
      else if (space !== undefined) this.#cache.forget(space, String(id));
    }
    return true;
  }
}
