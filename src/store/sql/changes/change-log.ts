import { mostLogged } from '../../changes.ts';
import type { StoredCollection } from '../../schema.ts';

/** As they are stored. A `handover` is an update that gives the record to another owner or workspace. */
export const kinds = { origin: 0, create: 1, update: 2, delete: 3, refetch: 4, handover: 5 } as const;

/** A row of the log but its position, which it gets when it is written. */
export interface LoggedChange {
  readonly kind: (typeof kinds)[keyof typeof kinds];
  readonly collection: number;
  /** Of the record; with `refetch` the name of the collection. */
  readonly id: string;
  readonly at: number;
  /** After the change; before it where it is a deletion. With `refetch` the level that the collection had. */
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

/** The collections that an operation has changed too much of. */
type Bulk = Map<number, StoredCollection>;

/**
 * What one transaction changes, written to the log at its end: the positions are then given out while the rows of the
 * records are locked, and those who wait for the log wait as short as can be.
 */
export class ChangeLog {
  #changes: LoggedChange[] = [];
  /** Where those of the operation under way begin. */
  #begin = 0;
  /** The operation has changed more than is reported one by one. */
  #bulk: Bulk | undefined;
  /** Those that changes were noted of. */
  readonly #known = new Map<number, StoredCollection>();

  /** Another operation begins: each may log so many changes. */
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

  /** `level`: that of the collection before. */
  noteRefetch(collection: number, name: string, level: string | null): void {
    const at = Date.now();
    const nobody = { workspace: null, oldOwner: null, oldWorkspace: null };
    this.#changes.push({ kind: kinds.refetch, collection, id: name, at, owner: level, ...nobody });
  }

  /** How many changes of each collection the operation under way has logged. */
  counts(): Map<number, number> {
    const counts = new Map<number, number>();
    for (const { collection } of this.#changes.slice(this.#begin)) {
      counts.set(collection, (counts.get(collection) ?? 0) + 1);
    }
    return counts;
  }

  /** Forgets what the operation under way has logged. */
  drop(): void {
    this.#changes.length = this.#begin;
    this.#bulk = undefined;
  }

  /** All of it, in order. */
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
