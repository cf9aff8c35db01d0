import type { Awaitable } from '../../../awaitable.ts';
import { readStoredCollection } from '../../../model/read-collection.ts';
import { fold } from '../../../model/search.ts';
import type { AccountTable, Dump, DumpedCollection, DumpedRecord, DumpedRow, DumpPart } from '../../dump.ts';
import { newVersion } from '../../new-version.ts';
import { recordValues } from '../../record-json.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Connection } from '../dialect.ts';
import { replaceSchemaVersion } from '../records/counters.ts';
import type { PlacedRecord } from '../records/placed-record.ts';
import { loadSchema } from '../schema/load-schema.ts';
import { tables } from '../tables.ts';
import { sql, table } from '../tag.ts';
import { type DumpTable, dumpTables } from './dump-tables.ts';
import { beginLine } from './history.ts';
import { withoutTakenKeys } from './restore-keys.ts';
import { refuseMissing } from './restore-references.ts';

export interface RestoredRecord extends PlacedRecord {
  readonly json: string;
}

/** What each engine does in its own way. */
export interface RestoreWriter {
  addRows(db: Connection, table: DumpTable, rows: readonly DumpedRow[]): Awaitable<void>;
  /** Called when the tables of a collection have been created. */
  prepare(db: Connection, key: number): Awaitable<void>;
  /** Writes records with everything that belongs to them, or throws a Failure about one with a unique value that is taken. */
  placeRecords(
    db: Connection,
    collection: StoredCollection,
    records: readonly RestoredRecord[],
  ): Awaitable<void>;
  /** Called when all records of all collections have been written. */
  complete(db: Connection, collection: StoredCollection): Awaitable<void>;
}

/** Runs a step, which is committed before the next or together with all others. */
export type RestoreStep = (step: (db: Connection) => Awaitable<void>) => Promise<void>;

/** Writes a dump into the tables of a new project, row by row. */
export async function restoreDump(run: RestoreStep, dump: Dump, writer: RestoreWriter): Promise<void> {
  const restoration = new Restoration(run, writer);
  await restoration.begin();
  for await (const part of dump.parts()) await restoration.add(part);
  await restoration.end();
}

/** The same one part at a time, for callers who receive them that way. */
export class Restoration {
  readonly #run: RestoreStep;
  readonly #writer: RestoreWriter;
  #collections: ReadonlyMap<string, StoredCollection> = new Map();

  constructor(run: RestoreStep, writer: RestoreWriter) {
    this.#run = run;
    this.#writer = writer;
  }

  async begin(): Promise<void> {
    // The new project's own signing key is not that of the dump.
    await this.#run(async (db) => void (await db.run(sql`DELETE FROM ${tables.secrets}`)));
  }

  async add(part: DumpPart): Promise<void> {
    await this.#run((db) => restorePart(db, this.#writer, part, this.#collections));
    if (part.kind !== 'collections') return;
    await this.#run(async (db) => {
      this.#collections = (await loadSchema(db)).collections;
    });
  }

  async end(): Promise<void> {
    for (const collection of this.#collections.values()) {
      await this.#run((db) => this.#writer.complete(db, collection));
      await this.#run((db) => refuseMissing(db, collection));
    }
    await this.#run(countRecords);
  }
}

function restorePart(
  db: Connection,
  writer: RestoreWriter,
  part: DumpPart,
  collections: ReadonlyMap<string, StoredCollection>,
): Awaitable<void> {
  switch (part.kind) {
    case 'rows':
      return writer.addRows(db, dumpTables[part.table], part.rows.map(rowOf[part.table] ?? asItIs));
    case 'collections':
      return makeCollections(db, writer, part.lastKey, part.collections);
    case 'records': {
      const collection = collections.get(part.collection);
      if (!collection) throw new Error(`records of ${part.collection}, of which there is no definition`);
      return withoutTakenKeys(db, collection, part.records.map(withValues)).then((records) =>
        writer.placeRecords(db, collection, records),
      );
    }
    case 'made':
      return beginLine(db, part.at);
  }
}

/** Of an older format a row lacks what its upgrade makes of its other values, or has it as it was made then. */
const rowOf: Partial<Record<AccountTable, (row: DumpedRow) => DumpedRow>> = {
  users: (row) => ({ ...row, folded_name: fold(String(row.name)) }),
};
const asItIs = (row: DumpedRow): DumpedRow => row;

const withValues = (record: DumpedRecord): RestoredRecord => ({
  ...record,
  values: recordValues(record.json),
});

async function makeCollections(
  db: Connection,
  writer: RestoreWriter,
  lastKey: number,
  collections: readonly DumpedCollection[],
): Promise<void> {
  const ids = new Set(collections.map(({ definition }) => definition.id));
  for (const { key, definition, fieldKeys, seq, created } of collections) {
    const read = readStoredCollection(definition, ids);
    await db.dialect.createTables(db, key, read, new Map(Object.entries(fieldKeys)));
    await writer.prepare(db, key);
    await db.run(sql`
      INSERT INTO ${tables.collections} (key, id, definition, field_keys)
      VALUES (${key}, ${definition.id}, ${JSON.stringify(definition)}, ${JSON.stringify(fieldKeys)})`);
    await db.run(sql`
      INSERT INTO ${tables.counters} (collection, total, seq, created, version)
      VALUES (${key}, 0, ${seq}, ${created}, ${newVersion()})`);
  }
  await db.run(sql`UPDATE ${tables.meta} SET value = ${lastKey} WHERE name = 'key'`);
  await replaceSchemaVersion(db);
}

async function countRecords(db: Connection): Promise<void> {
  const keys = await db.rows(sql`SELECT key FROM ${tables.collections}`);
  for (const [key] of keys) {
    await db.run(sql`
      UPDATE ${tables.counters} SET total = (SELECT count(*) FROM ${table(`r${Number(key)}`)})
      WHERE collection = ${Number(key)}`);
  }
}
