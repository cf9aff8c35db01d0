import type { Cell } from '../../model/cell.ts';
import { looksLikeFormula } from '../../model/formula.ts';
import { type Column, readCells } from './columns.ts';
import type { Format } from './format.ts';
import { sheetPath, sheetStart, styles, workbookParts } from './xlsx-parts.ts';
import type { ZippedFile } from './zip.ts';

/** The rows of an Excel sheet, minus the header. */
const mostRecords = 1_048_575;
const longestText = 32_767;

/** One sheet with inline strings: a table of shared strings would have to be kept in memory. */
export const xlsx: Format = {
  extension: 'xlsx',
  type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  most: mostRecords,
  async open({ collection, columns }) {
    const { ZipWriter } = await import('./zip.ts'); // loaded on demand, so that servers start faster
    const letters = columns.map((_, index) => columnLetters(index));
    const zip = new ZipWriter();
    let row = 1;
    let sheet: ZippedFile;
    return {
      async head() {
        for (const [path, xml] of workbookParts(sheetName(collection))) await zip.add(path, xml);
        sheet = zip.open(sheetPath);
        await sheet.write(sheetHead(columns, letters));
        return zip.take();
      },
      async records(texts) {
        // Records may have been added since they were counted.
        if (row + texts.length > mostRecords + 1) throw new Error('an export outgrew the rows of a sheet');
        const rows = texts.map((text) => {
          row += 1;
          return rowXml(row, letters, readCells(columns, text));
        });
        await sheet.write(rows.join(''));
        return zip.take();
      },
      async tail() {
        await sheet.write('</sheetData></worksheet>');
        await sheet.end();
        zip.end();
        return zip.take();
      },
    };
  },
};

/** At most 31 characters; Excel reserves the name 'history'. */
function sheetName(collection: string): string {
  return collection === 'history' ? 'history_' : collection.slice(0, 31);
}

function sheetHead(columns: readonly Column[], letters: readonly string[]): string {
  const widths = columns.map(({ name, width }, index) => {
    const shown = Math.max(width, name.length + 2);
    return `<col min="${index + 1}" max="${index + 1}" width="${shown}" customWidth="1"/>`;
  });
  const names = columns.map(({ name }, index) => textXml(`${letters[index]}1`, name, styles.header));
  return (
    `${sheetStart}<sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<cols>${widths.join('')}</cols><sheetData><row r="1">${names.join('')}</row>`
  );
}

function rowXml(row: number, letters: readonly string[], cells: readonly (Cell | undefined)[]): string {
  const filled = cells.map((cell, index) => (cell ? cellXml(`${letters[index]}${row}`, cell) : ''));
  return `<row r="${row}">${filled.join('')}</row>`;
}

function cellXml(at: string, cell: Cell): string {
  switch (cell.kind) {
    case 'text':
      return cell.text === '' ? '' : textXml(at, cell.text);
    case 'number':
      return excelNumber(cell.value) ? `<c r="${at}"><v>${cell.value}</v></c>` : textXml(at, `${cell.value}`);
    case 'boolean':
      return `<c r="${at}" t="b"><v>${cell.value ? 1 : 0}</v></c>`;
    case 'date': {
      const day = Date.parse(cell.text) / 86_400_000 + 25_569;
      // Excel has a 29 February 1900, which did not exist: its numbers for days before March 1900 are off by one.
      return day < 61 ? textXml(at, cell.text) : `<c r="${at}" s="${styles.date}"><v>${day}</v></c>`;
    }
  }
}

/** Excel can't hold the very largest and smallest numbers. */
function excelNumber(value: number): boolean {
  const size = Math.abs(value);
  return size === 0 || (size >= 2.2250738585072014e-308 && size <= 9.99999999999999e307);
}

/**
 * A string cell is never evaluated, so it stays as it is. One that looks like a formula gets the format 'text' with a quote
 * prefix, so that it does not become one when somebody edits the cell.
 */
function textXml(at: string, text: string, style?: number): string {
  const chosen = style ?? (looksLikeFormula(text) ? styles.text : undefined);
  const attribute = chosen === undefined ? '' : ` s="${chosen}"`;
  return `<c r="${at}"${attribute} t="inlineStr"><is><t xml:space="preserve">${escaped(cut(text))}</t></is></c>`;
}

/** Excel considers a file with a longer text damaged. The ellipsis shows that there was more. */
function cut(text: string): string {
  return text.length <= longestText
    ? text
    : `${text.slice(0, longestText - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Characters that XML can't contain are written as Excel does, `_x0007_`, and texts that look like that are escaped. */
function escaped(text: string): string {
  return text.replace(/[&<>]|[^\t\n -\ufffd]|_(?=x[\dA-Fa-f]{4}_)/g, (character) => {
    if (character === '&') return '&amp;';
    if (character === '<') return '&lt;';
    if (character === '>') return '&gt;';
    return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  });
}

/** A, B … Z, AA, AB … */
function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : `${columnLetters(Math.floor(index / 26) - 1)}${letter}`;
}
