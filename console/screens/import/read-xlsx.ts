import { strFromU8, unzipSync } from 'fflate';
import { type Table, tableOf } from './read-file.ts';

/** Most bytes of an unpacked part of the file: guards against zip bombs. */
const mostBytes = 256 * 1024 * 1024;

/** The first sheet of an XLSX file; its first row is the header. Cells become texts, dates in the format of the API. */
export function readXlsxTable(bytes: Uint8Array): Table {
  const parts = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (!/^xl\/(workbook|sharedStrings|styles|worksheets\/[^/]+|_rels\/[^/]+)\.(xml|xml\.rels)$/.test(name))
        return false;
      if (originalSize > mostBytes) throw new Error(`${name} is too large`);
      return true;
    },
  });
  const read = (name: string) => {
    const part = parts[name];
    return part && new DOMParser().parseFromString(strFromU8(part), 'application/xml');
  };
  const workbook = read('xl/workbook.xml');
  if (!workbook) throw new Error('it is not an XLSX file');
  const sheet = read(firstSheet(workbook, read('xl/_rels/workbook.xml.rels')));
  if (!sheet) throw new Error('it has no sheet');
  const shared = [...(read('xl/sharedStrings.xml')?.getElementsByTagName('si') ?? [])].map(textOf);
  const isDate = dateStyles(read('xl/styles.xml'));
  const from1904 = workbook.getElementsByTagName('workbookPr')[0]?.getAttribute('date1904') === '1';
  const rows = [...sheet.getElementsByTagName('row')].map((row) => {
    const cells: string[] = [];
    for (const cell of row.getElementsByTagName('c')) {
      const at = columnOf(cell.getAttribute('r') ?? '') ?? cells.length;
      cells[at] = cellText(cell, shared, isDate, from1904);
    }
    return Array.from(cells, (cell) => cell ?? '');
  });
  const [header = [], ...lines] = rows.filter((cells) => cells.some((cell) => cell !== ''));
  return tableOf(header, lines);
}

function firstSheet(workbook: Document, relations: Document | undefined): string {
  const id = workbook.getElementsByTagName('sheet')[0]?.getAttribute('r:id');
  const target = [...(relations?.getElementsByTagName('Relationship') ?? [])]
    .find((one) => one.getAttribute('Id') === id)
    ?.getAttribute('Target');
  return target ? `xl/${target.replace(/^\/?(xl\/)?/, '')}` : 'xl/worksheets/sheet1.xml';
}

/** The text of a rich string, without its phonetic hints (`rPh`). */
const textOf = (element: Element): string =>
  [...element.getElementsByTagName('t')]
    .filter(({ parentElement }) => parentElement?.tagName !== 'rPh')
    .map(({ textContent }) => textContent ?? '')
    .join('');

/** `C7` is in the third column. */
function columnOf(reference: string): number | undefined {
  const [letters] = /^[A-Z]+/.exec(reference) ?? [];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function cellText(
  cell: Element,
  shared: readonly string[],
  isDate: (style: number) => boolean,
  from1904: boolean,
): string {
  const type = cell.getAttribute('t') ?? 'n';
  if (type === 'inlineStr') return textOf(cell);
  const value = cell.getElementsByTagName('v')[0]?.textContent ?? '';
  if (type === 's') return shared[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'true' : 'false';
  if (type === 'n' && value !== '' && isDate(Number(cell.getAttribute('s') ?? 0))) {
    return dateText(Number(value) + (from1904 ? 1462 : 0));
  }
  return value;
}

/** `days`: an Excel serial date, days since 1899-12-30 with the time as fraction. */
function dateText(days: number): string {
  const date = new Date(Math.round((days - 25_569) * 86_400_000));
  return Number.isNaN(date.getTime()) ? String(days) : date.toISOString();
}

/** Whether a style shows a number as a date: by a built-in format, or a custom one that contains letters for dates or times. */
function dateStyles(styles: Document | undefined): (style: number) => boolean {
  const own = new Map(
    [...(styles?.getElementsByTagName('numFmt') ?? [])].map((format) => [
      Number(format.getAttribute('numFmtId')),
      format.getAttribute('formatCode') ?? '',
    ]),
  );
  const used = [...(styles?.getElementsByTagName('cellXfs')[0]?.getElementsByTagName('xf') ?? [])].map(
    (one) => Number(one.getAttribute('numFmtId')),
  );
  return (style) => {
    const format = used[style] ?? 0;
    const code = own.get(format);
    if (code === undefined) return (format >= 14 && format <= 22) || (format >= 45 && format <= 47);
    return /[dmyhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''));
  };
}
