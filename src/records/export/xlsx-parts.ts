/** The files of a workbook with one sheet, except the sheet itself. */

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packaged = 'http://schemas.openxmlformats.org/package/2006';
const content = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Indexes into `cellXfs` below. */
export const styles = { header: 1, date: 2, text: 3 } as const;

export const sheetPath = 'xl/worksheets/sheet1.xml';

export const sheetStart = `${declaration}<worksheet xmlns="${main}">`;

export function workbookParts(sheetName: string): readonly (readonly [path: string, xml: string])[] {
  return [
    [
      '[Content_Types].xml',
      `${declaration}<Types xmlns="${packaged}/content-types">` +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        '<Default Extension="xml" ContentType="application/xml"/>' +
        `<Override PartName="/xl/workbook.xml" ContentType="${content}.sheet.main+xml"/>` +
        `<Override PartName="/${sheetPath}" ContentType="${content}.worksheet+xml"/>` +
        `<Override PartName="/xl/styles.xml" ContentType="${content}.styles+xml"/></Types>`,
    ],
    ['_rels/.rels', relationships(['officeDocument', 'xl/workbook.xml'])],
    [
      'xl/workbook.xml',
      `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}">` +
        `<sheets><sheet name="${sheetName}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      relationships(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml']),
    ],
    ['xl/styles.xml', stylesXml],
  ];
}

function relationships(...targets: readonly (readonly [kind: string, target: string])[]): string {
  const each = targets.map(
    ([kind, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${relations}/${kind}" Target="${target}"/>`,
  );
  return `${declaration}<Relationships xmlns="${packaged}/relationships">${each.join('')}</Relationships>`;
}

const stylesXml =
  `${declaration}<styleSheet xmlns="${main}">` +
  '<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>' +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill>' +
  '<fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  '<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>' +
  '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" quotePrefix="1"/>' +
  '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';
