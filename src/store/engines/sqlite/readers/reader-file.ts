import { Failure } from '../../../../failure.ts';
import { isInIndex } from '../../../index-order.ts';
import { Schemas } from '../../../known-schemas.ts';
import type { ListPlan, WalkAnswer, WalkPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { loadSchema } from '../../../sql/schema/load-schema.ts';
import { tooManyUsers, tooSlow } from '../../../too-slow.ts';
import type { Database } from '../connection/database.ts';
import type { SqliteDriver } from '../connection/driver.ts';
import { translate } from '../connection/faults.ts';
import { openReader } from '../connection/project-file.ts';
import { costLimits } from '../reads/costs.ts';
import { checkSchema } from '../reads/current-schema.ts';
import { usersSliced } from '../reads/list-users.ts';
import { listByStatement } from '../reads/read-records.ts';
import { arrangeSliced } from '../reads/sliced/arrange.ts';
import { orderOf } from '../reads/sliced/compare.ts';
import { distinctSliced } from '../reads/sliced/distinct.ts';
import { type KnownTotal, type ListRead, listSliced } from '../reads/sliced/list.ts';
import type { Sliced } from '../reads/sliced/slices.ts';
import { walkSliced } from '../reads/sliced/walk.ts';
import { walkByStatement } from '../reads/walk-records.ts';
import type { CollectionReads, ReadCalls, ReadKind } from './readers.ts';

/** Asked before each slice: whether the read has to end, and why. */
export type Stop = () => 'timeout' | 'left' | undefined;

type Performers = {
  readonly [K in keyof CollectionReads]: (
    db: Database,
    collection: StoredCollection,
    plan: CollectionReads[K]['plan'],
  ) => Sliced<CollectionReads[K]['answer']>;
};

/** A read that has not begun, and its failure if it takes too long. */
interface Work<T> {
  readonly sliced: Sliced<T>;
  tooSlow(milliseconds: number): Failure;
}

const performers: Performers = {
  list: readList,
  walk: readWalk,
  arrange: arrangeSliced,
  distinct: distinctSliced,
};

/** A project's file for expensive reads, one at a time: each has a transaction of its own, and so one snapshot. */
export class ReaderFile {
  readonly #db: Database;
  readonly #schemas = new Schemas();

  constructor(driver: SqliteDriver, path: string) {
    this.#db = openReader(driver, path);
  }

  /** `pause` is awaited between slices. `timeout`: milliseconds, for the message about a read that took too long. */
  async read<K extends ReadKind>(
    kind: K,
    plan: ReadCalls[K]['plan'],
    stop: Stop,
    timeout: number,
    pause?: () => Promise<void>,
  ): Promise<ReadCalls[K]['answer']> {
    try {
      const work = (await this.#prepare(kind, plan)) as Work<ReadCalls[K]['answer']>;
      for (;;) {
        const why = stop();
        if (why) {
          work.sliced.return(undefined as never);
          throw why === 'left' ? nobodyWaits() : work.tooSlow(timeout);
        }
        const { done, value } = work.sliced.next();
        if (done) return value;
        if (pause) await pause();
      }
    } catch (error) {
      throw translate(error);
    }
  }

  async #prepare(kind: ReadKind, plan: ReadCalls[ReadKind]['plan']): Promise<Work<unknown>> {
    if (!('collection' in plan)) {
      const sliced = this.#inTransaction(() => usersSliced(this.#db, plan));
      return { sliced, tooSlow: tooManyUsers };
    }
    const { version } = plan.collection;
    if (!this.#schemas.find(version)) this.#schemas.keep(await loadSchema(this.#db));
    const collection = this.#schemas.collection(plan.collection);
    const perform = performers[kind as keyof CollectionReads];
    const sliced = this.#inTransaction(() => {
      checkSchema(this.#db, collection);
      return perform(this.#db, collection, plan as never) as Sliced<unknown>;
    });
    return { sliced, tooSlow: (milliseconds) => tooSlow(collection, plan, milliseconds) };
  }

  *#inTransaction<T>(work: () => Sliced<T>): Sliced<T> {
    this.#db.exec('BEGIN');
    try {
      return yield* work();
    } finally {
      this.#db.exec('COMMIT'); // not ROLLBACK, which undoes the temporary tables of search and has all statements prepared anew
    }
  }

  close(): void {
    this.#db.close();
  }
}

/**
 * Uses one statement if an index leads to the page and ties are sorted by further keys; otherwise walks along the index, or
 * scans all records.
 */
function* readList(
  db: Database,
  collection: StoredCollection,
  { known, ...plan }: ListPlan & { readonly known?: KnownTotal | undefined },
): Sliced<ListRead> {
  const { length } = orderOf(plan.sort).keys;
  if (length > 1 && plan.offset <= costLimits.entries && isInIndex(collection, plan))
    return yield* listByStatement(db, collection, plan);
  return yield* listSliced(db, collection, plan, known);
}

function* readWalk(db: Database, collection: StoredCollection, plan: WalkPlan): Sliced<WalkAnswer> {
  if (orderOf(plan.sort).keys.length > 1 && isInIndex(collection, plan))
    return yield* walkByStatement(db, collection, plan);
  return yield* walkSliced(db, collection, plan);
}

function nobodyWaits(): Failure {
  return new Failure('unavailable', 'The client went away before its answer was there', { retryAfter: 1 });
}
