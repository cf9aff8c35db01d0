import type { Cell } from '../../model/cell.ts';
import { looksLikeFormula } from '../../model/formula.ts';
import { type Column, readCells } from './columns.ts';
import type { Format } from './format.ts';
import { sheetPath, sheetStart, styles, workbookParts } from './xlsx-parts.ts';
import type { ZippedFile } from './zip.ts';

/** Excel's rows, less the header. */
const mostRecords = 1_048_575;
const longestText = 32_767;

/** One sheet, with strings in their cells: a table of shared strings would have to be held in memory. */
export const xlsx: Format = {
  extension: 'xlsx',
  type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  most: mostRecords,
  async open({ collection, columns }) {
    const { ZipWriter } = await import('./zip.ts'); // a server starts without its compressors
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
        // More can have come while the file was written than there were when they were counted.
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

/** At most 31 characters; Excel keeps the name 'history' for itself. */
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
      // Excel counts a 29 February 1900, which was none: its days before March 1900 are not ours.
      return day < 61 ? textXml(at, cell.text) : `<c r="${at}" s="${styles.date}"><v>${day}</v></c>`;
    }
  }
}

/** Excel can't hold the very largest and the very smallest numbers of JSON. */
function excelNumber(value: number): boolean {
  const size = Math.abs(value);
  return size === 0 || (size >= 2.2250738585072014e-308 && size <= 9.99999999999999e307);
}

/**
 * A string in a sheet is never run, so it stays as it is. One that looks like a formula gets the format
 * 'text' with a quote prefix, so that it does not become one when somebody edits the cell.
 */
function textXml(at: string, text: string, style?: number): string {
  const chosen = style ?? (looksLikeFormula(text) ? styles.text : undefined);
  const attribute = chosen === undefined ? '' : ` s="${chosen}"`;
  return `<c r="${at}"${attribute} t="inlineStr"><is><t xml:space="preserve">${escaped(cut(text))}</t></is></c>`;
}

/** Excel takes a file with a longer text for damaged. The mark at the end says that there was more. */
function cut(text: string): string {
  return text.length <= longestText
    ? text
    : `${text.slice(0, longestText - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** What XML can't hold is written as Excel does it, `_x0007_`, and what looks like that is escaped in turn. */
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
