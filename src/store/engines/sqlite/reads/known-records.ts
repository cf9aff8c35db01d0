import type { Scope } from '../../../../access/scope.ts';
import type { StoredCollection } from '../../../schema.ts';
import type { ChangeFollower } from './change-follower.ts';
import type { CachedRecord, RecordCache } from './record-cache.ts';

/** The cached records of a project that are the same in the snapshot that a connection holds. */
export class KnownRecords {
  readonly #follower: ChangeFollower;
  readonly #cache: RecordCache;
  /** Where records of a collection are cached, by its key. */
  readonly #spaces = new Map<number, number>();

  constructor(follower: ChangeFollower, cache: RecordCache) {
    this.#follower = follower;
    this.#cache = cache;
    follower.listen({
      changed: (collection, id) => {
        const space = this.#spaces.get(collection);
        if (space !== undefined) cache.forget(space, id);
      },
      lost: (collection) => {
        if (collection === undefined) this.#spaces.clear();
        else this.#spaces.delete(collection);
      },
    });
    cache.enter();
  }

  /** undefined: it is not known. The schema must have been checked in the snapshot. */
  find(collection: StoredCollection, id: string, scope: Scope): string | undefined {
    const state = this.#follower.stateOf(collection);
    return state && this.#cache.find(this.#spaceOf(collection), id, scope);
  }

  /** A record that was not known, and was read in the same snapshot. */
  keep(collection: StoredCollection, record: CachedRecord): void {
    if (this.#follower.stateOf(collection)) this.#cache.keep(this.#spaceOf(collection), record);
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
}
