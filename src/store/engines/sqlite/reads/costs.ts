import { perCollection, VersionedAnswers } from '../../../cache.ts';
import { isEverything } from '../../../index-order.ts';
import type { DistinctPlan, IncludePlan, ListPlan, Where } from '../../../plans.ts';
import { relationOf, type StoredCollection } from '../../../schema.ts';
import { recordTable } from '../../../sql/names.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { isComputed } from '../tables/collection-tables.ts';
import { largestOf, smallRecord } from '../tables/sizes.ts';
import { countersOf, type ReadCounters, readCounters } from './current-schema.ts';
import type { IndexMarks } from './index-marks.ts';
import { indexOrderOf } from './index-order.ts';
import { orderOf } from './sliced/compare.ts';
import { type Bound, lookupsOf, readsText } from './sliced/conditions.ts';
import { countUpTo, probesOf } from './sliced/source.ts';

/** Limits for work that surely takes less than a millisecond, so that the thread that serves may do it. */
export interface CostLimits {
  /** Records that may be scanned. */
  readonly records: number;
  /** Texts that may be searched; one can have a megabyte. */
  readonly texts: number;
  /** Index entries that may be skipped, or counted to find out how many there are. */
  readonly entries: number;
  /** Records of a page whose related records are included. */
  readonly including: number;
}

export const costLimits: CostLimits = { records: 2_000, texts: 50, entries: 2_000, including: 100 };

/** The most bytes of records to go through, or of records whose lists are read. */
const mostRead = 8 * 1024 * 1024;

/** An index that finds this few records is good enough: no better one is looked for. */
const fewEnough = 50;

/** The most values of lists to look up in records. */
const mostLookups = 20_000;

type Read = Pick<ListPlan, 'where'> &
  Partial<Pick<ListPlan, 'sort' | 'limit' | 'offset' | 'include'> & Pick<DistinctPlan, 'fields'>>;

/**
 * How a read is done: outside of the thread that serves (`elsewhere`), or in it, either in any way (`here`) or by the condition
 * that finds few records (`by`).
 */
export type Way = 'elsewhere' | 'here' | { readonly by: Bound };

/** The condition that finds the fewest records by an index. */
interface Found {
  readonly by: Bound;
  readonly count: number;
  /** Finds their places. */
  readonly query: Sql;
}

/** Tells reads that an index bounds from reads whose cost grows with the collection, before they run. */
export class Costs {
  readonly #db: Database;
  readonly #limits: CostLimits;
  readonly #marks: IndexMarks;
  /** How many records an index finds for a condition. Valid until the next write to the collection; as many are kept as totals. */
  readonly #counts = new VersionedAnswers<number>({ most: 1_000 });

  constructor(db: Database, limits: CostLimits, marks: IndexMarks) {
    this.#db = db;
    this.#limits = limits;
    this.#marks = marks;
  }

  /** `counters`: those of the collection, as the read would find it. */
  wayOf(collection: StoredCollection, read: Read, counters: ReadCounters): Way {
    const { where, limit = 1, include = [] } = read;
    const { records, texts } = this.#limits;
    if (include.length > 0 && this.#includesMuch(collection, include, Math.min(limit, counters.total)))
      return 'elsewhere';
    if (this.isSmall(collection, counters, where.search.length > 0 ? texts : records)) {
      const isRead = ordersByText(collection, read) || filtersByText(collection, where);
      if (!isRead || this.#areShort(collection, counters, counters.total)) return 'here';
      if (isEverything(where)) return 'elsewhere';
    } else if (isEverything(where)) return this.#isOrdered(collection, read, counters) ? 'here' : 'elsewhere';
    const found = this.#findBound(collection, where, counters.version);
    return found && this.#isLittle(collection, read, found, counters) ? { by: found.by } : 'elsewhere';
  }

  /** Whether a page of so many records includes very many others, or long lists. */
  #includesMuch(collection: StoredCollection, include: readonly IncludePlan[], count: number): boolean {
    if (count > this.#limits.including) return true;
    return include.some(({ steps }) => {
      let from = collection;
      let reached: number | undefined = count;
      return steps.some((step) => {
        const { field, to } = relationOf(from, step.field);
        const most: number = reached ?? this.#countOf(from);
        const isListed = field.kind === 'multiple';
        const isMuch = isListed ? most * largestOf(this.#db, from) > mostRead : most > this.#limits.records;
        reached = isListed ? undefined : most; // lists may lead to all records there are
        from = to;
        return isMuch;
      });
    });
  }

  #countOf(collection: StoredCollection): number {
    return readCounters(this.#db, collection, countersOf(collection)).total;
  }

  /** Whether all records can be gone through: they are few, and not large. */
  isSmall(collection: StoredCollection, { total }: ReadCounters, most = this.#limits.records): boolean {
    return total <= most && this.#areReadable(collection, total);
  }

  #areReadable(collection: StoredCollection, count: number): boolean {
    const largest = largestOf(this.#db, collection);
    return largest <= smallRecord || count * largest <= mostRead;
  }

  /** Whether the texts of so many records can be read: of all, or of those that a query finds. */
  #areShort(
    collection: StoredCollection,
    { version }: ReadCounters,
    count: number,
    query: Sql = raw('TRUE'),
  ): boolean {
    if (!this.#areReadable(collection, count)) return false;
    if (count * smallRecord <= mostRead) return true;
    const question = `bytes ${query.text} ${JSON.stringify(query.values)} of ${collection.key}`;
    const bytes = this.#counts.get(version, question, () => {
      const these = query.text === 'TRUE' ? query : sql`seq IN (${query})`;
      const sum = sql`SELECT total(octet_length(json)) FROM ${recordTable(collection)} WHERE ${these}`;
      return Number(this.#db.row(sum)?.[0]);
    });
    return bytes <= mostRead;
  }

  /** Whether the page is found by an index, or by the places of records if none is missing. */
  #isOrdered(
    collection: StoredCollection,
    { where, sort = [], offset = 0 }: Read,
    counters: ReadCounters,
  ): boolean {
    const { entries } = this.#limits;
    if (orderOf(sort).keys.length === 0) return offset <= entries || counters.total === counters.seq;
    // With more than one key, the records that share a value of the first have to be sorted, however many they are.
    const order = indexOrderOf(collection, { where, sort });
    return order !== undefined && offset <= entries + this.#marks.reach(order, counters.version);
  }

  /** The condition that finds the fewest records, or few enough; undefined: all find too many. */
  #findBound(collection: StoredCollection, where: Where, version: number): Found | undefined {
    let most = where.search.length > 0 ? this.#limits.texts : this.#limits.entries;
    let best: Found | undefined;
    for (const probe of probesOf(collection, where)) {
      const { text, values } = probe.query;
      const question = `${most} ${text} ${JSON.stringify(values)}`;
      const count = this.#counts.get(version, question, () => countUpTo(this.#db, probe, most));
      if (count > most) continue;
      best = { by: probe.of, count, query: probe.query };
      if (count <= fewEnough) break;
      most = count - 1;
    }
    return best;
  }

  /** Whether so many records are quickly checked by all other conditions, and sorted. */
  #isLittle(collection: StoredCollection, read: Read, found: Found, counters: ReadCounters): boolean {
    const { by, count, query } = found;
    const others = read.where.conditions.filter((_, at) => at !== by);
    const lookups = others.reduce((sum, condition) => sum + lookupsOf(collection, condition), 0);
    if (count * lookups > mostLookups) return false;
    const isRead = ordersByText(collection, read) || others.some((each) => readsText(collection, each));
    return !isRead || this.#areShort(collection, counters, count, query);
  }
}

/** The fields whose values are only in the texts of records, so that a whole text is read for one value. */
const inText = perCollection(({ definition }) => {
  const fields = [...definition.fields.values()].filter((field) => isComputed(definition, field));
  return new Set(fields.map(({ name }) => name));
});

/** Whether the texts of records are read to sort them, or for their values. */
function ordersByText(collection: StoredCollection, { sort, fields }: Read): boolean {
  const names = inText(collection);
  if (names.size === 0) return false;
  return sort?.some(({ name }) => names.has(name)) || fields?.some((name) => names.has(name)) || false;
}

function filtersByText(collection: StoredCollection, { conditions }: Where): boolean {
  const names = inText(collection);
  return names.size > 0 && conditions.some(({ name }) => names.has(name));
}
