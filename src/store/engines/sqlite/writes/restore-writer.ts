import { Failure, within } from '../../../../failure.ts';
import { searchText } from '../../../../model/search.ts';
import type { StoredCollection } from '../../../schema.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { columnNames, presentColumns } from '../../../sql/dump/dump-tables.ts';
import type { RestoredRecord, RestoreWriter } from '../../../sql/dump/restore.ts';
import { placeRecord } from '../../../sql/records/write-records.ts';
import { raw } from '../../../sql/tag.ts';
import { dropIndexes } from '../tables/drop-indexes.ts';
import { addSearchTexts } from '../tables/search.ts';

/** Row by row, as a call into SQLite costs next to nothing. Search texts are indexed when the project is opened. */
export function restoreWriter(): RestoreWriter {
  /** CREATE INDEX statements by the key of the collection. */
  const indexes = new Map<number, string[]>();
  return {
    async addRows(db, dumped, rows) {
      const table = presentColumns(dumped, rows);
      const places = table.columns.map(() => '?').join(', ');
      const text = `INSERT INTO ${table.name} (${columnNames(table)}) VALUES (${places})`;
      for (const row of rows) {
        await db.run({ ...raw(text), values: table.columns.map(({ name }) => row[name] ?? null) });
      }
    },
    async prepare(db, key) {
      indexes.set(key, await dropIndexes(db, key));
    },
    async placeRecords(db, collection, records) {
      for (const record of records) await place(db, collection, record);
    },
    async complete(db, { key }) {
      for (const text of indexes.get(key) ?? []) await db.exec(text);
    },
  };
}

async function place(db: Connection, collection: StoredCollection, record: RestoredRecord): Promise<void> {
  try {
    await placeRecord(db, collection, record, record.json);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw within(`${collection.definition.id}, record '${record.id}'`, error);
  }
  const text = searchText(collection.definition, record.values);
  if (text !== '') await addSearchTexts(db, collection.key, [{ seq: record.seq, text }]);
}
