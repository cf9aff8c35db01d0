import { newVersion } from '../../new-version.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { column } from '../../sql/names.ts';
import { tables } from '../../sql/tables.ts';
import { raw, sql } from '../../sql/tag.ts';
import { isTaken } from './connection/faults.ts';
import { createTables, isComputed } from './tables/collection-tables.ts';
import { logChanges } from './tables/log-changes.ts';
import { noteWrites, stopNoting } from './tables/noted-writes.ts';
import { addSearchTexts, removeSearchText, renameSearchTables, searchCondition } from './tables/search.ts';
import { noteSize } from './tables/sizes.ts';

/** Writes are serialized here, so nothing has to be locked. */
export const sqliteDialect: Dialect = {
  style: { table: (name) => name, placeholder: () => '?' },
  // One parameter however many values: one statement text to keep prepared. What JSON has as 4611686018427388000 is the number
  // 2^62, and read as an integer it would be another.
  values: (values, kind) =>
    sql`SELECT ${raw(kind === 'real' ? 'CAST(value AS REAL)' : 'value')} FROM json_each(${JSON.stringify(values)})`,
  search: searchCondition,
  forUpdate: raw(''),
  forChange: raw(''),
  forReference: raw(''),
  latestTime: raw(String(Number.MAX_SAFE_INTEGER)), // the clock is the machine's own
  clock: raw('unixepoch() * 1000'),
  lockName() {},
  touch(db, key) {
    void db.run(sql`UPDATE ${tables.counters} SET version = ${newVersion()} WHERE collection = ${key}`);
  },
  countedApart: () => raw('0'),
  logChanges,
  async forEach(items, work) {
    for (const [index, item] of items.entries()) await work(item, index);
  },
  attempt: (_db, work) => work(), // a failed statement rolls back only itself
  isTaken,
  holds: (collection, name, value) => sql`${column(collection, name)} = ${value}`,
  async columnsOf(db, name) {
    return (await db.rows(sql`SELECT name FROM pragma_table_info(${name})`)).map(([column]) =>
      String(column),
    );
  },
  isComputed,
  createTables,
  noteWrites,
  stopNoting,
  noteSize,
  repoint() {}, // relations are stored by id
  async addValues(db, { table, values, seq }) {
    for (const value of values) {
      await db.run(sql`INSERT INTO ${table} (value, seq) VALUES (${value}, ${seq})`);
    }
  },
  async removeValues(db, { table, values, seq }) {
    for (const value of values)
      await db.run(sql`DELETE FROM ${table} WHERE value = ${value} AND seq = ${seq}`);
  },
  addSearchTexts,
  removeSearchText,
  renameSearchTables,
};
