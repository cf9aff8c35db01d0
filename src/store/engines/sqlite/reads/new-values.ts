import type { ColumnValue } from '../../../../model/field.ts';
import type { StoredCollection } from '../../../schema.ts';
import { recordTable } from '../../../sql/names.ts';
import { raw, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { namedStatement } from './named-statement.ts';

/** New records that are read at a time, in less than a millisecond. If there are more, their values stay unknown. */
const mostRecords = 1_000;
/** Of a column: some megabytes, if they are long. */
const mostValues = 10_000;
/** Of a collection. */
const mostColumns = 8;

/** The last new record, by its sequence number, with each value in one column. */
interface Seen {
  /** Records up to this one may be missing. */
  since: number;
  readonly last: Map<ColumnValue, number>;
}

interface Watched {
  /** Records up to this one have been read. */
  until: number;
  readonly columns: Map<string, Seen>;
}

/** Which values new records have in the columns that remembered pages are filtered by. Each record is read once for all pages. */
export class NewValues {
  readonly #db: Database;
  /** By collection as of one schema, in which it has these columns. */
  readonly #watched = new WeakMap<StoredCollection, Watched>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** From now on notes the values in a column of records that are created after `seq`, which is the last one there is. */
  watch(collection: StoredCollection, column: string, seq: number): void {
    let watched = this.#watched.get(collection);
    if (!watched) {
      watched = { until: seq, columns: new Map() };
      this.#watched.set(collection, watched);
    }
    const { columns } = watched;
    if (columns.has(column)) return;
    if (columns.size === mostColumns) columns.clear();
    if (columns.size === 0) watched.until = seq;
    columns.set(column, { since: seq, last: new Map() });
  }

  /** Whether no record that was created after `seq` has one of the values. `last`: the last record in the snapshot that is held. */
  areMissing(
    collection: StoredCollection,
    { column, values }: { readonly column: string; readonly values: readonly ColumnValue[] },
    seq: number,
    last: number,
  ): boolean {
    const watched = this.#watched.get(collection);
    const seen = watched?.columns.get(column);
    if (!watched || !seen) return false;
    if (watched.until < last) this.#read(collection, watched, last);
    return seen.since <= seq && values.every((value) => (seen.last.get(value) ?? 0) <= seq);
  }

  #read(collection: StoredCollection, watched: Watched, last: number): void {
    const { until, columns } = watched;
    watched.until = last;
    if (last - until > mostRecords) {
      for (const seen of columns.values()) forget(seen, last);
      return;
    }
    const names = [...columns.keys()].join(', ');
    const query = namedStatement(collection, `new ${names}`, [until, last], () => {
      return sql`SELECT seq, ${raw(names)} FROM ${recordTable(collection)} WHERE seq > ${until} AND seq <= ${last}`;
    });
    const rows = this.#db.rows(query);
    for (const [index, seen] of [...columns.values()].entries()) {
      for (const row of rows) seen.last.set(row[index + 1] ?? null, Number(row[0]));
      if (seen.last.size > mostValues) forget(seen, last);
    }
  }
}

function forget(seen: Seen, until: number): void {
  seen.last.clear();
  seen.since = until;
}
