import type { ColumnValue } from '../../../model/field.ts';
import type { JsonObject } from '../../../model/json.ts';
import {
  accountTables,
  type DumpedCollection,
  type DumpedRecord,
  type DumpedRow,
  type DumpPart,
} from '../../dump.ts';
import { ProjectGone } from '../../schema.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, sql, table } from '../tag.ts';
import { columnNames, type DumpTable, dumpTables, startOf } from './dump-tables.ts';

const mostRows = 1_000;
/** Bytes of records per part, unless a single one is larger. */
const largestPart = 2 * 1024 * 1024;

/** Everything in a project, read through a connection with one snapshot throughout. */
export async function* dumpParts(db: Connection): AsyncGenerator<DumpPart, void> {
  for (const name of accountTables) yield* dumpRows(db, dumpTables[name]);
  const [lastKey] = (await db.row(sql`SELECT value FROM ${tables.meta} WHERE name = 'key'`)) ?? [];
  if (lastKey === undefined) throw new ProjectGone();
  const collections = await readCollections(db);
  yield { kind: 'collections', lastKey: Number(lastKey), collections };
  for (const { key, definition } of collections) yield* dumpRecords(db, key, definition.id);
}

/** A project of an older format has only the columns of that time; the others get their defaults. */
async function* dumpRows(db: Connection, dumped: DumpTable): AsyncGenerator<DumpPart, void> {
  const { name, order } = dumped;
  const known = new Set(await db.dialect.columnsOf(db, name));
  if (known.size === 0) return; // of a format that had no such table
  const columns = dumped.columns.filter((column) => known.has(column.name));
  const select = sql`SELECT ${raw(`${order}, ${columnNames({ columns })}`)} FROM ${table(name)}`;
  let last: ColumnValue = startOf(dumped);
  for (;;) {
    const found = await db.rows(
      sql`${select} WHERE ${raw(order)} > ${last} ORDER BY ${raw(order)} LIMIT ${mostRows}`,
    );
    const end = found.at(-1)?.[0];
    if (end === undefined || end === null) return;
    const rows = found.map(([, ...values]): DumpedRow => {
      return Object.fromEntries(columns.map((column, index) => [column.name, values[index] ?? null]));
    });
    yield { kind: 'rows', table: name, rows };
    last = end;
  }
}

async function readCollections(db: Connection): Promise<DumpedCollection[]> {
  // Older formats did not count anything separately, and have no such column.
  const counted = (await db.dialect.columnsOf(db, 'touches')).includes('added');
  const apart = counted ? db.dialect.countedApart(raw('collections.key')) : raw('0');
  const rows = await db.rows(
    sql`
      SELECT key, definition, field_keys, total + ${apart}, seq, created
      FROM ${tables.collections} JOIN ${tables.counters} ON counters.collection = collections.key ORDER BY key`,
  );
  return rows.map(([key, definition, fieldKeys, total, seq, created]) => ({
    key: Number(key),
    definition: JSON.parse(String(definition)) as JsonObject & { id: string },
    fieldKeys: JSON.parse(String(fieldKeys)) as Record<string, number>,
    total: Number(total),
    seq: Number(seq),
    created: Number(created),
  }));
}

async function* dumpRecords(db: Connection, key: number, collection: string): AsyncGenerator<DumpPart, void> {
  const records = table(`r${key}`);
  let last = 0;
  for (;;) {
    const sizes = await db.rows(
      sql`SELECT seq, octet_length(json) FROM ${records} WHERE seq > ${last} ORDER BY seq LIMIT ${mostRows}`,
    );
    if (sizes.length === 0) return;
    const end = endOfPart(sizes.map(([seq, size]) => [Number(seq), Number(size)]));
    const rows = await db.rows(sql`
      SELECT seq, id, created, updated, owner, workspace, json FROM ${records}
      WHERE seq > ${last} AND seq <= ${end} ORDER BY seq`);
    const found = rows.map(([seq, id, created, updated, owner, workspace, json]): DumpedRecord => {
      return {
        seq: Number(seq),
        id: String(id),
        created: Number(created),
        updated: Number(updated),
        owner: (owner ?? null) as string | null,
        workspace: (workspace ?? null) as string | null,
        json: String(json),
      };
    });
    yield { kind: 'records', collection, records: found };
    last = end;
  }
}

/** The last sequence number of the records that fit into one part. */
function endOfPart(sizes: readonly (readonly [seq: number, size: number])[]): number {
  let length = 0;
  const over = sizes.findIndex(([, size], index) => {
    length += size;
    return index > 0 && length > largestPart;
  });
  return sizes.at(over < 0 ? -1 : over - 1)?.[0] ?? 0;
}
