import { StaleSchema } from '../../../schema.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { spread } from '../../../sql/records/write-records.ts';
import { tables } from '../../../sql/tables.ts';
import { raw, sql } from '../../../sql/tag.ts';
import type { Counter } from '../../../sql/transaction.ts';
import type { InsertPlan } from '../../../write-plans.ts';

/**
 * Sequence numbers for the new records of a transaction. They are reserved before it, by a statement that is its own
 * transaction: whoever takes the next ones waits for that statement only, not for the commit of the records.
 */
export class Places {
  readonly #plans: Map<number, InsertPlan[]>;
  #taken = new Map<number, Promise<Counter>>();
  /** How far they were used, by the key of the collection. */
  #given: (key: number) => Counter | undefined = () => undefined;

  constructor(plans: readonly InsertPlan[]) {
    this.#plans = Map.groupBy(plans, ({ collection }) => collection.key);
  }

  readonly find = (key: number): Promise<Counter> | undefined => this.#taken.get(key);

  take(db: Connection): void {
    this.#given = () => undefined;
    this.#taken = new Map([...this.#plans].map(([key, plans]) => [key, takePlaces(db, key, plans)]));
    for (const taken of this.#taken.values()) taken.catch(() => {}); // whoever needs it gets the error
  }

  /** To be called when the records may exist from now on. */
  giveOut(given: (key: number) => Counter | undefined): void {
    this.#given = given;
  }

  /**
   * Returns unused sequence numbers, with their times, so that a refused record leaves no gap. Impossible if others have taken
   * the next ones: a gap only makes late pages slower.
   */
  async returnRest(db: Connection): Promise<void> {
    const returned = [...this.#taken].map(async ([key, taken]) => {
      const all = await taken;
      const { seq, created } = this.#given(key) ?? all;
      if (!all.end || seq >= all.end.seq) return;
      await db.row(sql`
        UPDATE ${tables.counters} SET seq = ${seq}::bigint, created = ${created}::bigint
        WHERE collection = ${key} AND seq = ${all.end.seq} RETURNING ${withoutSync}`);
    });
    await Promise.allSettled(returned);
  }
}

/** The commit of this statement does not wait for the disk: the commit of the records does, and follows it in the same WAL. */
const withoutSync = raw("set_config('synchronous_commit', 'off', true)");

/** `created` advances by as much as `nextPlace` can need at most. */
async function takePlaces(db: Connection, key: number, plans: readonly InsertPlan[]): Promise<Counter> {
  const wanted = plans.length;
  const at = plans.reduce((latest, plan) => Math.max(latest, plan.at), 0);
  const row = await db.row(sql`
    UPDATE ${tables.counters} SET
      seq = last.seq + ${wanted}::bigint,
      created = greatest(base, least(base + ${wanted}::bigint, now + ${raw(String(spread))}))
    FROM (
      SELECT held.seq, held.created, now, greatest(held.created, now - 1) AS base
      FROM (SELECT seq, created FROM ${tables.counters} WHERE collection = ${key} FOR NO KEY UPDATE) AS held,
        (SELECT least(${at}::bigint, ${db.dialect.latestTime}) AS now) AS clock
    ) AS last
    WHERE collection = ${key}
    RETURNING last.seq, last.created, counters.seq, counters.created, ${withoutSync}`);
  if (!row) throw new StaleSchema();
  const [seq = 0, created = 0, lastSeq = 0, lastCreated = 0] = row.slice(0, 4).map(Number);
  return { total: 0, seq, created, end: { seq: lastSeq, created: lastCreated } };
}
