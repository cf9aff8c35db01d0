import assert from 'node:assert/strict';
import { strFromU8, unzipSync } from 'fflate';
import { type CellValue, readSheet } from 'read-excel-file/node';
import { defuse } from '../../src/model/formula.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Store } from '../../src/store/store.ts';
import type { AppOptions, CallOptions, TestApp } from '../harness.ts';
import { asAdmin, type Row, resultOf } from '../support.ts';

/** The file that an export gives. */
export async function exported(
  app: TestApp,
  path: string,
  query: string,
  { token }: CallOptions = {},
): Promise<Buffer> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await app.fetch(new Request(`http://vitrine.test${path}/export?${query}`, { headers }));
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString());
  return bytes;
}

/** Every record of View All, page by page. */
export async function viewAll(
  app: TestApp,
  path: string,
  query = '',
  options: CallOptions = {},
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const reply = await app.call('GET', `${path}?perPage=1000&page=${page}&${query}`, options);
    const { found, totalPages } = resultOf(reply) as unknown as { found: Row[]; totalPages: number };
    rows.push(...found);
    if (page >= totalPages) return rows;
  }
}

/** RFC 4180, by the letter: CRLF behind every record, quotes only around a whole field. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let row: string[] = [];
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const match = field.exec(text);
    assert.ok(match, `not CSV at ${at}: ${JSON.stringify(text.slice(at, at + 60))}`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    rows.push(row);
    row = [];
  }
  assert.deepEqual(row, [], 'the last line is ended');
  return rows;
}

/** By an independent reader; the escapes that it leaves alone, as Excel reads them. */
export async function readXlsx(file: Buffer): Promise<(CellValue | null)[][]> {
  const rows = await readSheet(file, { trim: false });
  return rows.map((row) => row.map((cell) => (typeof cell === 'string' ? unescaped(cell) : cell)));
}

function unescaped(text: string): string {
  return text.replace(/_x([\dA-F]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

export function sheetXml(file: Buffer, name = 'xl/worksheets/sheet1.xml'): string {
  const part = unzipSync(file)[name];
  assert.ok(part, name);
  return strFromU8(part);
}

/** Many records at once. */
export async function fill(app: TestApp, path: string, records: readonly JsonObject[]): Promise<void> {
  for (let at = 0; at < records.length; at += 1000) {
    const body = { create: records.slice(at, at + 1000) };
    const reply = await app.call('POST', `${path}/batch`, { ...asAdmin, body });
    assert.ok(reply.status < 300, reply.text.slice(0, 300));
  }
}

/** An app whose stores can be watched and made to fail. */
export function watched(over: (store: Store) => Partial<Store>): AppOptions {
  return {
    wrap: (engine) => ({
      ...engine,
      async openProject(id) {
        const store = await engine.openProject(id);
        return { ...store, ...over(store) };
      },
    }),
  };
}

/** What a CSV file says of a value. */
export function csvText(value: Json | undefined): string {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  const isText = typeof value === 'string' || Array.isArray(value);
  return isText ? defuse(text) : text;
}
