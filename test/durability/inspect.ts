import assert from 'node:assert/strict';
import type { ColumnValue } from '../../src/model/field.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { SqliteConnection } from '../../src/store/engines/sqlite/connection/driver.ts';

type Rows = (query: string) => ColumnValue[][];

/**
 * Opens a project's file beside the product and compares all that is derived from the records with them: typed
 * columns, list tables, search texts, pending and indexed tokens, counters. Gives the number of records.
 */
export async function inspect(path: string): Promise<number> {
  const { sqlite } = await loadRuntime();
  const db = sqlite.open(path);
  try {
    db.exec('PRAGMA busy_timeout = 5000');
    db.exec('BEGIN'); // everything below is of one moment
    const rows: Rows = (query) => select(db, query);
    assert.deepEqual(rows('PRAGMA integrity_check'), [['ok']]);
    const known = new Set<unknown>();
    const linked = new Set<unknown>();
    for (const [key, , fieldKeys] of rows('SELECT key, id, field_keys FROM collections')) {
      const fields = JSON.parse(String(fieldKeys)) as Record<string, number>;
      inspectCollection(db, rows, Number(key), fields, known, linked);
    }
    assert.deepEqual([...linked.difference(known)], [], 'relations to records that are not there');
    db.exec('COMMIT');
    return known.size;
  } finally {
    db.close();
  }
}

/** How many records wait for their texts to be indexed. */
export async function countPending(path: string): Promise<number> {
  const db = (await loadRuntime()).sqlite.open(path);
  try {
    const keys = select(db, 'SELECT key FROM collections');
    return keys.reduce((sum, [key]) => sum + select(db, `SELECT seq FROM p${key}`).length, 0);
  } finally {
    db.close();
  }
}

function select(db: SqliteConnection, query: string): ColumnValue[][] {
  const statement = db.prepare(query);
  try {
    return statement.rows([]);
  } finally {
    statement.finalize();
  }
}

function inspectCollection(
  db: SqliteConnection,
  rows: Rows,
  key: number,
  fields: Readonly<Record<string, number>>,
  known: Set<unknown>,
  linked: Set<unknown>,
): void {
  const scalars = ['key', 'title', 'n', 'group'];
  const columns = scalars.map((name) => `f${fields[name]}`).join(', ');
  const records = rows(`SELECT seq, id, created, updated, json, ${columns} FROM r${key}`);
  const values = { tags: new Set<string>(), peers: new Set<string>() };
  const texts = new Map<number, string>();
  for (const [seq, id, created, updated, json, ...held] of records) {
    const record = JSON.parse(String(json)) as JsonObject & { tags: string[]; peers: string[] };
    const times = [record._createdAt, record._updatedAt].map((time) => Date.parse(String(time)));
    assert.deepEqual([record._id, ...times], [id, created, updated], `stamps of ${id}`);
    assert.deepEqual(
      held,
      scalars.map((name) => record[name]),
      `columns of ${id}`,
    );
    known.add(id);
    for (const to of [record.group, ...record.peers]) if (to !== null) linked.add(to);
    for (const name of ['tags', 'peers'] as const) {
      for (const value of record[name]) values[name].add(`${value} ${seq}`);
    }
    const parts = [record.title, ...record.tags].filter((part) => typeof part === 'string');
    if (parts.length > 0) texts.set(Number(seq), parts.map((part) => part.toLowerCase()).join('\u0001'));
  }

  const [counter = []] = rows(`SELECT total, seq, created FROM counters WHERE collection = ${key}`);
  assert.equal(counter[0], records.length, `the counted total of r${key}`);
  const [last = []] = rows(`SELECT coalesce(max(seq), 0), coalesce(max(created), 0) FROM r${key}`);
  assert.ok(Number(counter[1]) >= Number(last[0]), `the last seq of r${key}`);
  assert.ok(Number(counter[2]) >= Number(last[1]), `the last creation of r${key}`);

  for (const name of ['tags', 'peers'] as const) {
    const table = `l${key}_${fields[name]}`;
    const there = new Set(rows(`SELECT value, seq FROM ${table}`).map((row) => row.join(' ')));
    assertSame(there, values[name], table);
  }

  const stored = new Map(rows(`SELECT seq, text FROM s${key}`).map(([seq, text]) => [Number(seq), text]));
  assertSame(new Set(stored.keys()), new Set(texts.keys()), `s${key}`);
  for (const [seq, text] of texts) assert.equal(stored.get(seq), text, `s${key} of ${seq}`);
  const seqs = (query: string) => new Set(rows(query).map(([seq]) => Number(seq)));
  const pending = seqs(`SELECT seq FROM p${key}`);
  assertSame(pending.difference(stored), new Set(), `p${key} without a text`);
  const indexed = new Set(stored.keys()).difference(pending);
  assertSame(seqs(`SELECT id FROM t${key}_docsize`), indexed, `t${key}`);
  db.exec(`CREATE VIRTUAL TABLE temp.v${key} USING fts5vocab('main', 't${key}', 'instance')`);
  const ranges = ["term >= 'tag' AND term <= 'tah'", "term >= 'z0' AND term <= 'za'"];
  const tokens = ranges.flatMap((range) => rows(`SELECT term, doc FROM temp.v${key} WHERE ${range}`));
  const expected = [...indexed].flatMap((seq) =>
    tokensOf(texts.get(seq) ?? '').map((term) => `${term} ${seq}`),
  );
  assertSame(new Set(tokens.map((token) => token.join(' '))), new Set(expected), `tokens of t${key}`);
}

/** The tokens of the index that begin with a tag or with a word of a title: up to eight letters from there. */
function tokensOf(text: string): string[] {
  const encoded = text.replaceAll('\u0001', '\ue001');
  return [...encoded.matchAll(/tag\d|z\d{7}/g)].map(
    ({ index }) => /^\S{1,8}/.exec(encoded.slice(index))?.[0] ?? '',
  );
}

function assertSame<T>(actual: ReadonlySet<T>, expected: ReadonlySet<T>, what: string): void {
  const extra = [...actual.difference(expected)].slice(0, 5);
  const missing = [...expected.difference(actual)].slice(0, 5);
  assert.deepEqual({ extra, missing }, { extra: [], missing: [] }, what);
}
