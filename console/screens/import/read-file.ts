import type { Json } from '../../../client/client.ts';
import { parseJson } from '../../model/parse-json.ts';
import { texts } from '../../texts.ts';

const { imports: words } = texts;

/** A file as numbered rows of named values. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

export interface Row {
  /** Starts at 1, without the header. */
  readonly number: number;
  readonly values: Readonly<Record<string, Json>>;
  /** True for CSV and XLSX: every value is a text, still to be parsed by the field's type. */
  readonly isText: boolean;
}

export type Separator = ',' | ';' | '\t';

/** Guesses from the first line. */
export function guessSeparator(text: string): Separator {
  const [first = ''] = text.split(/\r?\n/, 1);
  const count = (separator: string) => first.split(separator).length;
  return count(';') > count(',') ? ';' : count('\t') > count(',') ? '\t' : ',';
}

export const looksLikeJson = (text: string) => /^\s*[[{]/.test(text);

/** Throws an Error that says what is wrong. */
export function readJsonTable(text: string): Table {
  const objects = /^\s*\[/.test(text) ? parseArray(text) : parseLines(text);
  const columns = new Set<string>();
  for (const object of objects) for (const name of Object.keys(object)) columns.add(name);
  return {
    columns: [...columns],
    rows: objects.map((values, at) => ({ number: at + 1, values, isText: false })),
  };
}

type JsonRow = Readonly<Record<string, Json>>;

function parseArray(text: string): JsonRow[] {
  const value = parseJson(text);
  if (!Array.isArray(value)) throw new Error('it is not an array');
  return value.map((one, at) => object(one, at + 1));
}

function parseLines(text: string): JsonRow[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line, at) => object(parseLine(line, at + 1), at + 1));
}

function parseLine(line: string, number: number): unknown {
  try {
    return parseJson(line);
  } catch (error) {
    throw new Error(`row ${number}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function object(value: unknown, number: number): JsonRow {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonRow;
  throw new Error(`row ${number} is not an object`);
}

/** Refuses what is not UTF-8: replacement characters would silently change the data. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(words.notUtf8);
  }
}

export function readCsvTable(text: string, separator: Separator): Table {
  const [header = [], ...lines] = readCells(text.replace(/^\uFEFF/, ''), separator);
  const rows = lines.filter((cells) => cells.length > 1 || cells[0] !== '');
  for (const [at, cells] of rows.entries()) {
    if (cells.length !== header.length)
      throw new Error(`row ${at + 1} has ${cells.length} cells where the header has ${header.length}`);
  }
  return tableOf(header, rows);
}

/** A table of texts. Columns that have neither a name nor a value are dropped. */
export function tableOf(header: readonly string[], lines: readonly (readonly string[])[]): Table {
  const columns = header
    .map((name, at) => ({ name, at }))
    .filter(({ name, at }) => name !== '' || lines.some((cells) => (cells[at] ?? '') !== ''));
  const names = columns.map(({ name }) => name);
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (repeated !== undefined) throw new Error(words.repeated(repeated));
  return {
    columns: names,
    rows: lines.map((cells, row) => ({
      number: row + 1,
      values: Object.fromEntries(columns.map(({ name, at }) => [name, cells[at] ?? ''])),
      isText: true,
    })),
  };
}

/** RFC 4180: a quoted cell may contain the separator, line breaks, and doubled quotes. */
function readCells(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at <= text.length) {
    const { cell, end } = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, separator);
    row.push(cell);
    if (text[end] === separator) {
      at = end + 1;
      continue;
    }
    rows.push(row);
    row = [];
    if (end >= text.length) break;
    at = end + (text.startsWith('\r\n', end) ? 2 : 1);
    if (at >= text.length) break;
  }
  return rows;
}

function quotedCell(text: string, start: number): { cell: string; end: number } {
  let cell = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw new Error('a quote is opened and never closed');
    cell += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { cell, end: quote + 1 };
    cell += '"';
    at = quote + 2;
  }
}

function plainCell(text: string, start: number, separator: string): { cell: string; end: number } {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return { cell: text.slice(start, end), end };
}
