import { createLog } from '../../../log.ts';
import type { Field } from '../../../model/field.ts';
import { fieldType } from '../../../model/field-types.ts';
import type { Json } from '../../../model/json.ts';
import type { Values } from '../../../model/payload.ts';
import { readStoredCollection } from '../../../model/read-collection.ts';
import type { Connection } from '../dialect.ts';
import { type FoldedKey, foldedKeysOf } from '../records/folded-keys.ts';
import { tables } from '../tables.ts';
import { join, raw, type Sql, sql, table } from '../tag.ts';
import type { UpgradeStep } from '../upgrade.ts';
import { alignIndexes, type StoredDefinition } from './index-order.ts';

const chunk = 500;
const mostNamed = 100;
/** Not the usual log: any command may be the first to open older data, and what it prints may be data itself. */
const log = createLog((line) => process.stderr.write(line), false);

/** What the engines write differently. */
export interface IndexSyntax {
  readonly textType: string;
  /** The statement that created an index. */
  textOf(db: Connection, name: string): Promise<string>;
  /** The parts of a plain index over fields. */
  parts(columns: readonly { readonly name: string; readonly field: Field }[]): string[];
}

interface Upgraded {
  readonly id: string;
  readonly table: Sql;
  readonly key: number;
  columnOf(name: string): string;
  readonly fields: ReadonlyMap<string, Field>;
}

/**
 * Unique emails get a folded key next to their value, and their own index stays for filters and sorts. If values collide that
 * were different before, the oldest record has the key; the others are named in the log.
 */
export const addFoldedKeys =
  (syntax: IndexSyntax): UpgradeStep =>
  async (db) => {
    const rows = await db.rows(sql`SELECT key, definition, field_keys FROM ${tables.collections}`);
    const definitions = rows.map(([, definition]) => JSON.parse(String(definition)) as StoredDefinition);
    const ids = new Set(definitions.map(({ id }) => id));
    for (const [index, stored] of definitions.entries()) {
      const [key, , fieldKeys] = rows[index] ?? [];
      const keys = new Map(Object.entries(JSON.parse(String(fieldKeys)) as Record<string, number>));
      const textOf = (name: string) => syntax.textOf(db, name);
      const definition = readStoredCollection(await alignIndexes(db, Number(key), stored, keys, textOf), ids);
      const collection: Upgraded = {
        id: definition.id,
        table: table(`r${key}`),
        key: Number(key),
        columnOf: (name) => `f${keys.get(name)}`,
        fields: definition.fields,
      };
      for (const folded of foldedKeysOf({ definition, fieldKeys: keys }))
        await add(db, syntax, collection, folded);
    }
  };

async function add(
  db: Connection,
  syntax: IndexSyntax,
  collection: Upgraded,
  folded: FoldedKey,
): Promise<void> {
  const { key, table: records } = collection;
  const column = raw(folded.column);
  const exact = `r${key}_${folded.column.startsWith('ui') ? folded.column.slice(1) : `f${folded.column.slice(1)}`}`;
  const parts = folded.fields.flatMap((name) => {
    const field = collection.fields.get(name);
    return field ? [{ name: collection.columnOf(name), field }] : [];
  });
  await db.run(sql`ALTER TABLE ${records} ADD COLUMN ${column} ${raw(syntax.textType)}`);
  await db.run(sql`DROP INDEX ${table(exact)}`);
  await db.run(sql`CREATE INDEX ${raw(exact)} ON ${records} (${raw(syntax.parts(parts).join(', '))})`);
  await fill(db, collection, folded);
  const [unique, plain] = [`r${key}_${folded.column}`, `r${key}_${folded.column}_all`];
  await db.run(sql`CREATE INDEX ${raw(plain)} ON ${records} (${column})`);
  await dropTaken(db, collection, column);
  await db.run(sql`DROP INDEX ${table(plain)}`);
  const nulls = raw(syntax.textType === 'TEXT' ? '' : ' NULLS FIRST');
  await db.run(sql`CREATE UNIQUE INDEX ${raw(unique)} ON ${records} (${column}${nulls})`);
}

/** Mostly an address is plain ASCII, which every engine folds alike. */
async function fill(db: Connection, collection: Upgraded, { column, fields, key }: FoldedKey): Promise<void> {
  const [records, target] = [collection.table, raw(column)];
  const columns = fields.map((name) => raw(collection.columnOf(name)));
  const [only] = columns;
  let left = raw('TRUE');
  if (only && columns.length === 1) {
    const plain = sql`octet_length(${only}) = length(${only})`;
    await db.run(sql`UPDATE ${records} SET ${target} = lower(${only}) WHERE ${plain}`);
    left = sql`NOT (${plain})`;
  }
  for (let last = 0; ; ) {
    const rows = await db.rows(sql`
      SELECT seq, ${join(columns, ', ')} FROM ${records}
      WHERE seq > ${last} AND ${left} ORDER BY seq LIMIT ${raw(String(chunk))}`);
    for (const [seq, ...held] of rows) {
      last = Number(seq);
      const values: Record<string, Json> = {};
      for (const [index, name] of fields.entries()) {
        const field = collection.fields.get(name);
        const value = held[index] ?? null;
        values[name] = field && value !== null ? fieldType(field).fromColumn(value, field) : null;
      }
      await db.run(sql`UPDATE ${records} SET ${target} = ${key(values as Values)} WHERE seq = ${last}`);
    }
    if (rows.length < chunk) return;
  }
}

async function dropTaken(db: Connection, { id, table: records }: Upgraded, column: Sql): Promise<void> {
  const older = sql`SELECT 1 FROM ${records} AS older WHERE older.${column} = later.${column} AND older.seq < later.seq`;
  const rows = await db.rows(sql`
    SELECT id FROM ${records} AS later WHERE ${column} IS NOT NULL AND EXISTS (${older}) ORDER BY seq`);
  if (rows.length === 0) return;
  await db.run(
    sql`UPDATE ${records} AS later SET ${column} = NULL WHERE ${column} IS NOT NULL AND EXISTS (${older})`,
  );
  const named = rows.slice(0, mostNamed).map(([record]) => String(record));
  const more = rows.length > named.length ? ` and ${rows.length - named.length} more` : '';
  log.info(
    `${id}: these records have an email that an older record has in another case, and stay as they are: ${named.join(', ')}${more}`,
  );
}
