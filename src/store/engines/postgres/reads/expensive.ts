import type { ReadTurn } from '../../../../access/turns.ts';
import type { Awaitable } from '../../../../awaitable.ts';
import type { Failure } from '../../../../failure.ts';
import { fieldType } from '../../../../model/field-types.ts';
import { isIndexed } from '../../../../model/indexed.ts';
import { Lru } from '../../../cache.ts';
import { isEverything, isInIndex, isNarrowedByIndex } from '../../../index-order.ts';
import type { CollectionRef, ListPlan, Where } from '../../../plans.ts';
import { relationOf, type StoredCollection } from '../../../schema.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { sql } from '../../../sql/tag.ts';
import { tooSlow } from '../../../too-slow.ts';
import { faultCode } from '../connection/faults.ts';
import type { ProjectDatabase } from '../project-database.ts';
import { totalOf } from '../versions.ts';

/** Up to this many records scanned, or index entries skipped, a read does not count as expensive. */
const fewRecords = 2_000;
/** Up to this many records per page if related ones are included. */
const fewIncluding = 100;
/** Milliseconds for which the known size of a collection is trusted. */
const sizeTrustedFor = 10_000;
const statementTimeout = '57014';

interface Read {
  readonly collection: CollectionRef;
  readonly where: Where;
  readonly sort?: ListPlan['sort'];
  readonly offset?: number;
  readonly limit?: number;
  readonly include?: ListPlan['include'];
  /** For distinct: an index on the field is read value by value. */
  readonly fields?: readonly string[];
}

/** Reads whose cost grows with their collection use a limited share of the connections, and take turns. */
export class ExpensiveReads {
  readonly #database: ProjectDatabase;
  /** Number of records per collection key: a few bytes each. An entry expires after a while. */
  readonly #sizes = new Lru<number, { readonly total: number; readonly at: number }>({ most: 1_000 });

  constructor(database: ProjectDatabase) {
    this.#database = database;
  }

  async read<T>(plan: Read, turn: ReadTurn | undefined, work: (db: Connection) => Awaitable<T>): Promise<T> {
    const collection = this.#database.schemas.collection(plan.collection);
    if (!(await this.#isExpensive(collection, plan))) return this.#database.read(work);
    return this.inTurn(turn, work, (milliseconds) => tooSlow(collection, plan, milliseconds));
  }

  async inTurn<T>(
    turn: ReadTurn | undefined,
    work: (db: Connection) => Awaitable<T>,
    slow: (milliseconds: number) => Failure,
  ): Promise<T> {
    const release = await turn?.take();
    try {
      const timeout = turn?.unlimited ? Number.POSITIVE_INFINITY : this.#database.queryTimeout;
      return await this.#database.readExpensive(work, turn?.signal, timeout);
    } catch (error) {
      if (faultCode((error as Error).cause) !== statementTimeout) throw error;
      throw slow(this.#database.queryTimeout);
    } finally {
      release?.();
    }
  }

  async #isExpensive(collection: StoredCollection, plan: Read): Promise<boolean> {
    const { where, sort = [], offset = 0, limit = 1, include = [] } = plan;
    if (include.length > 0 && (limit > fewIncluding || (await this.#includesMany(collection, include))))
      return true;
    const ordered = isInIndex(collection, { where, sort });
    const skipScans = (plan.fields ?? []).every((name) => hasValues(collection, name));
    const bounded = isEverything(where)
      ? skipScans && ordered && (offset <= fewRecords || (sort[0]?.name ?? '_createdAt') === '_createdAt')
      : where.search.length === 0 && isNarrowedByIndex(collection, where);
    return !bounded && (await this.#sizeOf(collection)) > fewRecords;
  }

  /** Whether a path continues from records that lists refer to, which may be very many. */
  async #includesMany(collection: StoredCollection, include: ListPlan['include']): Promise<boolean> {
    for (const { steps } of include) {
      let from = collection;
      let isListed = false;
      for (const step of steps) {
        if (isListed && (await this.#sizeOf(from)) > fewRecords) return true;
        const { field, to } = relationOf(from, step.field);
        isListed ||= field.kind === 'multiple';
        from = to;
      }
    }
    return false;
  }

  async #sizeOf({ key }: StoredCollection): Promise<number> {
    const known = this.#sizes.get(key);
    if (known && Date.now() - known.at < sizeTrustedFor) return known.total;
    const row = await this.#database.read((db) => db.row(sql`SELECT ${totalOf({ key })}`));
    const total = Number(row?.[0] ?? 0);
    this.#sizes.set(key, { total, at: Date.now() });
    return total;
  }
}

function hasValues({ definition }: StoredCollection, name: string): boolean {
  const field = definition.fields.get(name);
  return field !== undefined && (isIndexed(definition, name) || fieldType(field).plural(field));
}
