import { mostLogged } from '../../changes.ts';
import type { StoredCollection } from '../../schema.ts';

/** As stored. A `handover` is an update that moves the record to another owner or workspace. */
export const kinds = { origin: 0, create: 1, update: 2, delete: 3, refetch: 4, handover: 5 } as const;

/** A row of the log without its position, which is assigned when it is written. */
export interface LoggedChange {
  readonly kind: (typeof kinds)[keyof typeof kinds];
  readonly collection: number;
  /** Id of the record; for `refetch` the name of the collection. */
  readonly id: string;
  readonly at: number;
  /** After the change; for a deletion before it. For `refetch` the level that the collection had. */
  readonly owner: string | null;
  readonly workspace: string | null;
  /** Before a handover. */
  readonly oldOwner: string | null;
  readonly oldWorkspace: string | null;
}

export interface ChangeLogState {
  readonly before: number;
  readonly own: readonly LoggedChange[];
  readonly bulk: Bulk | undefined;
}

/** Collections of which an operation has changed too many records. */
type Bulk = Map<number, StoredCollection>;

/**
 * The changes of one transaction, written to the log at its end: positions are then assigned while the records are locked, and
 * readers of the log wait as briefly as possible.
 */
export class ChangeLog {
  #changes: LoggedChange[] = [];
  /** Where the changes of the current operation begin. */
  #begin = 0;
  /** Set if the operation has made more changes than are logged one by one. */
  #bulk: Bulk | undefined;
  /** The collections that changes were noted in. */
  readonly #known = new Map<number, StoredCollection>();

  /** Begins another operation: the limit of logged changes applies to each. */
  begin(): void {
    this.#endBulk();
    this.#begin = this.#changes.length;
  }

  note(collection: StoredCollection, change: Omit<LoggedChange, 'collection'>): void {
    const { key } = collection;
    if (this.#bulk) {
      this.#bulk.set(key, collection);
      return;
    }
    this.#changes.push({ ...change, collection: key });
    this.#known.set(key, collection);
    if (this.#changes.length - this.#begin > mostLogged) this.#beginBulk();
  }

  /** `level`: the previous level of the collection. */
  noteRefetch(collection: number, name: string, level: string | null): void {
    const at = Date.now();
    const nobody = { workspace: null, oldOwner: null, oldWorkspace: null };
    this.#changes.push({ kind: kinds.refetch, collection, id: name, at, owner: level, ...nobody });
  }

  /** The number of changes per collection that the current operation has logged. */
  counts(): Map<number, number> {
    const counts = new Map<number, number>();
    for (const { collection } of this.#changes.slice(this.#begin)) {
      counts.set(collection, (counts.get(collection) ?? 0) + 1);
    }
    return counts;
  }

  /** Discards what the current operation has logged. */
  drop(): void {
    this.#changes.length = this.#begin;
    this.#bulk = undefined;
  }

  /** All changes in order. */
  take(): readonly LoggedChange[] {
    this.#endBulk();
    return this.#changes;
  }

  save(): ChangeLogState {
    const bulk = this.#bulk && new Map(this.#bulk);
    return { before: this.#begin, own: this.#changes.slice(this.#begin), bulk };
  }

  restore({ before, own, bulk }: ChangeLogState): void {
    this.#changes.length = before;
    for (const change of own) this.#changes.push(change);
    this.#begin = before;
    this.#bulk = bulk && new Map(bulk);
  }

  #beginBulk(): void {
    const keys = [...this.counts().keys()];
    const collections = keys.flatMap((key) => {
      const found = this.#known.get(key);
      return found ? [[key, found] as const] : [];
    });
    this.#changes.length = this.#begin;
    this.#bulk = new Map(collections);
  }

  #endBulk(): void {
    const bulk = this.#bulk;
    this.#bulk = undefined;
    for (const { key, definition } of bulk?.values() ?? []) this.noteRefetch(key, definition.id, null);
  }
}
