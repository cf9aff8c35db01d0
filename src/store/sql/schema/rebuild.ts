import { Failure } from '../../../failure.ts';
import { isUnset } from '../../../model/carry.ts';
import type { Json } from '../../../model/json.ts';
import type { Values } from '../../../model/payload.ts';
import { searchText } from '../../../model/search.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Contradiction } from '../../schema-plans.ts';
import type { Connection } from '../dialect.ts';
import { recordTable } from '../names.ts';
import type { FoldedKey } from '../records/folded-keys.ts';
import { type PlacedRecord, readRecord, recordColumns } from '../records/placed-record.ts';
import { displaceRecord, placeRecord } from '../records/write-records.ts';
import { raw, type Sql, sql, table } from '../tag.ts';
import { nextPlaces } from './next-places.ts';

const mostNamed = 5;
const mostRetried = 1_000;
const mostTogether = 16;

interface Misfit {
  readonly id: string;
  readonly reason: string;
  /**
   * It does not fit because of another record, which may change. A record that does not fit by itself is only tried again when
   * it changes.
   */
  readonly byAnother: boolean;
}

export interface RebuildPlan {
  readonly from: StoredCollection;
  /** The collection as it will be, under the key of its new tables. */
  readonly shadow: StoredCollection;
  readonly carry: (old: Values) => Values;
  readonly searchChanges: boolean;
  readonly total: number;
  /** Fields whose rules do not change. Their values stay as they are, even if an earlier version checked them by other rules. */
  readonly sameRules: ReadonlySet<string>;
  /** The folded keys of `shadow`, by column, that existed before. */
  readonly carriedKeys: ReadonlyMap<string, FoldedKey>;
}

/** Carries the records of a collection over into the tables of its next definition. */
export class Rebuild {
  readonly from: StoredCollection;
  readonly shadow: StoredCollection;
  readonly total: number;
  /** How many records hold a value, by field of the old definition. */
  readonly held = new Map<string, number>();
  done = 0;
  readonly #plan: RebuildPlan;
  readonly #searchChanges: boolean;
  /** Records that do not fit, by sequence number. */
  readonly #misfits = new Map<number, Misfit>();
  #last = 0;
  /** Functions that undo what the steps since the last commit noted in this object. */
  #undo: (() => void)[] = [];

  constructor(plan: RebuildPlan) {
    this.from = plan.from;
    this.shadow = plan.shadow;
    this.total = plan.total;
    this.#plan = plan;
    this.#searchChanges = plan.searchChanges;
  }

  get contradiction(): Contradiction | undefined {
    if (this.#misfits.size === 0) return undefined;
    const inOrder = [...this.#misfits].sort(([one], [other]) => one - other);
    const first = inOrder.slice(0, mostNamed).map(([, { id, reason }]) => ({ id, reason }));
    return { records: inOrder.length, first };
  }

  /** At the beginning of a step: an earlier run of it was undone in the database, so what it noted here is undone too. */
  again(): void {
    for (const undo of this.#undo.reverse()) undo();
    this.#undo = [];
  }

  /** The notes are committed. */
  kept(): void {
    this.#undo = [];
  }

  /** Carries the next records over. Returns whether there may be more. */
  async copy(db: Connection, most: number): Promise<boolean> {
    const { done } = this;
    const last = this.#last;
    this.#undo.push(() => {
      this.done = done;
      this.#last = last;
    });
    const next = await nextPlaces(db, this.from, last, most);
    const records = await this.#read(db, sql`seq > ${last} AND seq <= ${next.to} ORDER BY seq`);
    for (const { values } of records) {
      this.#countHeld(values, 1);
      this.#undo.push(() => this.#countHeld(values, -1));
    }
    await this.#placeAll(
      db,
      records.flatMap((record) => this.#carried(record) ?? []),
    );
    this.#last = next.to;
    this.done += records.length;
    return next.more;
  }

  /** Carries over again what was written meanwhile, for at most so many notes. Returns how many there were. */
  async catchUp(db: Connection, most: number): Promise<number> {
    const noted = table(`m${this.from.key}`);
    const notes = await db.rows(sql`SELECT n, seq FROM ${noted} ORDER BY n LIMIT ${most}`);
    if (notes.length === 0) return 0;
    const numbers = notes.map(([n = 0]) => Number(n));
    const seqs = [...new Set(notes.map(([, seq]) => Number(seq)))];
    // Only the notes that were read: a note that is not visible yet may be about a version of the record that is not either.
    await db.run(sql`DELETE FROM ${noted} WHERE n IN (${db.dialect.values(numbers, 'integer')})`);
    // All of them are removed before any is carried over again, as a unique value may have moved from one to another.
    for (const some of parts(seqs)) await this.#drop(db, some);
    for (const some of parts(seqs)) {
      const records = await this.#read(db, sql`seq IN (${db.dialect.values(some, 'integer')}) ORDER BY seq`);
      await this.#placeAll(
        db,
        records.flatMap((record) => this.#carried(record) ?? []),
      );
    }
    return notes.length;
  }

  /** The places of records that do not fit, if they are too many to be tried again while nobody can write. */
  get manyMisfits(): number[] {
    if (this.#misfits.size <= mostRetried) return [];
    return [...this.#misfits].flatMap(([seq, { byAnother }]) => (byAnother ? [seq] : []));
  }

  /** A record that did not fit while others were still being carried over may fit at the end. */
  async retryLastMisfits(db: Connection): Promise<void> {
    if (this.#misfits.size <= mostRetried) await this.retryMisfits(db, [...this.#misfits.keys()]);
  }

  async retryMisfits(db: Connection, seqs: readonly number[]): Promise<void> {
    for (const seq of seqs) {
      if (!this.#misfits.has(seq)) continue;
      this.#setMisfit(seq, undefined);
      await this.#takeAgain(db, seq);
    }
  }

  #setMisfit(seq: number, misfit: Misfit | undefined): void {
    const before = this.#misfits.get(seq);
    const put = (value: Misfit | undefined) => {
      if (value) this.#misfits.set(seq, value);
      else this.#misfits.delete(seq);
    };
    if (before || misfit) this.#undo.push(() => put(before));
    put(misfit);
  }

  async #takeAgain(db: Connection, seq: number): Promise<void> {
    const [record] = await this.#read(db, sql`seq = ${seq}`);
    const carried = record && this.#carried(record);
    if (carried) await this.#place(db, carried);
  }

  async #read(db: Connection, where: Sql): Promise<PlacedRecord[]> {
    const keys = [...this.#plan.carriedKeys];
    const columns = raw(keys.map(([, { column }]) => `, ${column}`).join(''));
    const rows = await db.rows(sql`
      SELECT ${recordColumns}${columns}
      FROM ${recordTable(this.from)} WHERE ${where}`);
    return rows.map((row) => {
      const record: PlacedRecord = readRecord(row);
      const without = keys.filter(
        ([, { key }], index) => row[7 + index] === null && key(record.values) !== null,
      );
      return without.length === 0
        ? record
        : { ...record, keyless: new Set(without.map(([column]) => column)) };
    });
  }

  /** The record as it will be. undefined: it does not fit, which is noted. */
  #carried(record: PlacedRecord): PlacedRecord | undefined {
    try {
      const values = this.#plan.carry(record.values);
      this.#verify(values);
      return { ...record, values };
    } catch (error) {
      this.#refuse(record, error, false);
      return undefined;
    }
  }

  async #placeAll(db: Connection, records: readonly PlacedRecord[]): Promise<void> {
    if (records.length === 0) return;
    const { placeTogether, isTaken } = db.dialect;
    try {
      if (placeTogether) return await placeTogether(db, this.shadow, records, this.#searchChanges);
    } catch (error) {
      if (!isTaken(error)) throw error; // placing them one by one shows which it is
    }
    for (const record of records) await this.#place(db, record);
  }

  async #place(db: Connection, record: PlacedRecord): Promise<void> {
    const { seq, values } = record;
    try {
      await db.dialect.attempt(db, () => placeRecord(db, this.shadow, record));
      const text = this.#searchChanges ? searchText(this.shadow.definition, values) : '';
      if (text !== '') await db.dialect.addSearchTexts(db, this.shadow.key, [{ seq, text }]);
    } catch (error) {
      this.#refuse(record, error, true);
    }
  }

  #refuse({ seq, id }: PlacedRecord, error: unknown, byAnother: boolean): void {
    if (!(error instanceof Failure)) throw error;
    this.#setMisfit(seq, { id, reason: error.message, byAnother });
  }

  /** By the rules for a new record; unset values are sent as null. */
  #verify(values: Values): void {
    const checked = Object.entries(values).filter(([name]) => !this.#plan.sameRules.has(name));
    const body: Record<string, Json> = {};
    for (const [name, value] of checked) body[name] = isUnset(value) ? null : value;
    this.shadow.payload.update(body, false);
  }

  async #drop(db: Connection, seqs: readonly number[]): Promise<void> {
    for (const seq of seqs) this.#setMisfit(seq, undefined);
    const rows = await db.rows(sql`
      SELECT ${recordColumns} FROM ${recordTable(this.shadow)}
      WHERE seq IN (${db.dialect.values(seqs, 'integer')})`);
    await db.dialect.forEach(rows, async (row) => {
      const record = readRecord(row);
      await displaceRecord(db, this.shadow, record);
      if (this.#searchChanges) await db.dialect.removeSearchText(db, this.shadow.key, record.seq);
    });
  }

  #countHeld(values: Values, by: 1 | -1): void {
    for (const [name, value] of Object.entries(values)) {
      if (!isUnset(value)) this.held.set(name, (this.held.get(name) ?? 0) + by);
    }
  }
}

/** Only a few, as a record can have two megabytes; but more than one, as others may write faster than one at a time is done. */
function* parts(seqs: readonly number[]): Generator<readonly number[], void> {
  for (let at = 0; at < seqs.length; at += mostTogether) yield seqs.slice(at, at + mostTogether);
}
