import type { StoredCollection } from '../../../schema.ts';
import { kinds } from '../../../sql/changes/change-log.ts';
import { tables } from '../../../sql/tables.ts';
import { sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';

const logged = sql`
  SELECT (SELECT max(pos) FROM ${tables.changes}), EXISTS (SELECT 1 FROM ${tables.touched})`;

/** Changes that are looked through to find out what is no longer as it was, which takes a millisecond. */
const mostChanges = 4_000;

export interface ChangeListener {
  /** A record of a collection, by its key, was changed or deleted. */
  changed(collection: number, id: string): void;
  /** It can't be told what has become of the records of a collection; without a key, of any. */
  lost(collection?: number): void;
}

/**
 * Tells what has become of a project's records since the last snapshot that a connection held: what has changed is in the change
 * log, also where a definition has changed records. The log is read in the snapshot, so that no write can come in between,
 * whichever thread or process it is of. Creations are not told: they leave the other records as they are.
 */
export class ChangeFollower {
  readonly #db: Database;
  readonly #listeners: ChangeListener[] = [];
  /** The states of the collections that are followed, by their keys. */
  readonly #states = new Map<number, object>();
  /** The snapshot that all is told up to, and the last position of the log in it. */
  #snapshot: object | undefined;
  #position = 0;
  /** Whether a deletion is under way that may change records without logging each. */
  #isUncertain = false;

  constructor(db: Database) {
    this.#db = db;
  }

  listen(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /**
   * The same object as long as no record of the collection was changed or deleted, in the snapshot that is held. undefined: that
   * can't be told now. The schema must have been checked in the snapshot.
   */
  stateOf({ key }: StoredCollection): object | undefined {
    if (this.#snapshot !== this.#db.held) this.#follow();
    if (this.#isUncertain) return undefined;
    const known = this.#states.get(key);
    if (known) return known;
    const state = {};
    this.#states.set(key, state);
    return state;
  }

  #follow(): void {
    const [last = 0, touched] = (this.#db.row(logged) ?? []).map(Number);
    this.#isUncertain = touched !== 0;
    if (this.#isUncertain || !this.#tellUntil(last)) {
      this.#states.clear();
      for (const listener of this.#listeners) listener.lost();
    }
    this.#position = last;
    this.#snapshot = this.#db.held;
  }

  /** `last`: the last position of the log now. false: it can't be told what has changed, or it is too much. */
  #tellUntil(last: number): boolean {
    const position = this.#position;
    if (this.#states.size === 0 || position === last) return true;
    if (last - position > mostChanges) return false;
    const [known, ...changes] = this.#db.rows(sql`
      SELECT pos, kind, collection, id FROM ${tables.changes}
      WHERE pos >= ${position} AND (pos = ${position} OR kind <> ${kinds.create}) ORDER BY pos`);
    if (known?.[0] !== position) return false; // old changes are removed in their order: some after it may be gone too
    for (const [, kind, collection, id] of changes) {
      const key = Number(collection);
      if (!this.#states.has(key)) continue;
      this.#states.set(key, {});
      for (const listener of this.#listeners) {
        if (kind === kinds.refetch) listener.lost(key);
        else listener.changed(key, String(id));
      }
    }
    return true;
  }
}
