import { type Cell, cellText } from '../../model/cell.ts';
import { defuse } from '../../model/formula.ts';
import { type Column, readCells } from './columns.ts';
import { type Format, utf8 } from './format.ts';

/** RFC 4180. */
export const csv: Format = {
  extension: 'csv',
  type: 'text/csv; charset=utf-8; header=present',
  open: ({ columns, bom }) => ({
    head: () => utf8(`${bom ? '\ufeff' : ''}${line(columns.map(({ name }) => name))}`),
    records: (texts) => utf8(texts.map((text) => recordLine(columns, text)).join('')),
    tail: () => utf8(''),
  }),
};

function recordLine(columns: readonly Column[], text: string): string {
  return line(readCells(columns, text).map((cell) => (cell ? defused(cell) : '')));
}

/** Only text can be an injected formula: the number -5 stays as it is. */
function defused(cell: Cell): string {
  return cell.kind === 'text' ? defuse(cell.text) : cellText(cell);
}

function line(values: readonly string[]): string {
  return `${values.map(quoted).join(',')}\r\n`;
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
