import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type TestApp } from '../harness.ts';
import { definition, makeProject, Records } from '../support.ts';
import { exported, parseCsv, readXlsx, sheetXml } from './support.ts';

/** `[the text, whether a spreadsheet could run it]` */
/** Whether a spreadsheet would run it, and what it becomes where that is more than a ' in front. */
const texts: readonly (readonly [text: string, risky: boolean, defused?: string])[] = [
  ['=1+1', true],
  ['=HYPERLINK("http://evil.example","click")', true],
  ["=cmd|' /C calc'!A0", true],
  ['+49 30 1234', true],
  ['-5', true],
  ['-2+3+cmd', true],
  ['@SUM(A1:A9)', true],
  ['\t=1+1', true],
  ['\tx', true],
  ['\r=1+1', true, "'\r'=1+1"],
  ['\rx', true],
  ['  =1+1', true],
  ['x;=1+1', false, "x;'=1+1"],
  ['x; -1', false, "x;' -1"],
  ['x\n=1+1\ny', false, "x\n'=1+1\ny"],
  [' \n =1+1', true, "' \n' =1+1"],
  ['- a\n- b; c', true],
  ['\u00a0=1+1', true],
  ['＝1+1', true],
  ['a=1', false],
  ['a\t=1', false],
  ["'=1", false],
  ['5-3', false],
  ['', false],
  [' ', false],
  ['plain, with "quotes"', false],
  ['true', false],
];

describe('cells', () => {
  let app: TestApp;
  let base: string;
  before(async () => {
    app = await startApp();
    base = await makeProject(
      app,
      definition('texts', { text: { type: 'text' }, list: { type: 'list', of: { type: 'text' } } }),
      definition('numbers', { number: { type: 'number' }, list: { type: 'list', of: { type: 'number' } } }),
      definition('dates', { at: { type: 'datetime' } }),
      definition('history', { body: { type: 'content' }, yes: { type: 'boolean' } }),
      definition(
        'wide',
        Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n}`, { type: 'number' }])),
      ),
    );
    const records = new Records(app, `${base}/texts`);
    await records.createAll(texts.map(([text]) => ({ text, list: [text, 'b'] })));
  });
  after(() => app.close());

  it('a text that a spreadsheet would run is defused in CSV, alone and as the start of a list', async () => {
    const file = await exported(app, `${base}/texts`, 'format=csv&fields=text,list');
    const [, ...rows] = parseCsv(file.toString());
    for (const [index, [text, risky, defused = risky ? `'${text}` : text]] of texts.entries()) {
      const [, cell, list] = rows[index] ?? [];
      assert.equal(cell, defused);
      assert.equal(list, `${defused}, b`);
    }
  });

  it('in XLSX it is the text itself, marked as text, and there is no formula', async () => {
    const file = await exported(app, `${base}/texts`, 'format=xlsx&fields=text');
    const [, ...rows] = await readXlsx(file);
    const xml = sheetXml(file);
    assert.doesNotMatch(xml, /<f[ >/]/);
    for (const [index, [text, risky]] of texts.entries()) {
      if (text !== '') assert.equal(rows[index]?.[1], text);
      assert.equal(xml.includes(`<c r="B${index + 2}" s="3" t="inlineStr">`), risky, text);
    }
    const formats = sheetXml(file, 'xl/styles.xml').split('<cellXfs')[1] ?? '';
    assert.match(formats.split('<xf ')[4] ?? '', /quotePrefix="1"/);
  });

  it('negative numbers stay numbers', async () => {
    const values = [-5, -0.25, 1e21, -1e-7, 9007199254740991, 0];
    await new Records(app, `${base}/numbers`).createAll(
      values.map((value) => ({ number: value, list: [7, value] })),
    );
    const [, ...lines] = parseCsv(
      (await exported(app, `${base}/numbers`, 'format=csv&fields=number,list')).toString(),
    );
    assert.deepEqual(
      lines.map((line) => line.slice(1)),
      values.map((value) => [`${value}`, `7, ${value}`]),
    );
    const [, ...rows] = await readXlsx(await exported(app, `${base}/numbers`, 'format=xlsx&fields=number'));
    assert.deepEqual(
      rows.map(([, cell]) => cell),
      values,
    );
  });

  it('dates are dates from March 1900 on, which is where the calendars of Excel and of the world meet', async () => {
    const dates = [
      '1900-02-28T23:59:59.999Z',
      '1900-03-01T00:00:00.000Z',
      '2026-01-02T03:04:05.678Z',
      '9999-12-31T23:59:59.999Z',
    ];
    await new Records(app, `${base}/dates`).createAll(dates.map((at) => ({ at })));
    const file = await exported(app, `${base}/dates`, 'format=xlsx&fields=at');
    const xml = sheetXml(file);
    assert.match(xml, /<c r="B2" t="inlineStr"><is><t xml:space="preserve">1900-02-28T23:59:59.999Z</);
    assert.match(xml, /<c r="B3" s="2"><v>61<\/v>/);
    assert.match(xml, /<c r="B4" s="2"><v>46024\.127843\d*<\/v>/);
    assert.match(sheetXml(file, 'xl/styles.xml'), /numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/);
    const [, ...rows] = await readXlsx(file);
    assert.deepEqual(rows[2]?.[1], new Date('2026-01-02T03:04:05.678Z'));
    assert.deepEqual(rows[1]?.[1], new Date('1900-03-01T00:00:00.000Z'));
  });

  it('a text longer than Excel takes is cut in XLSX alone, and ends with …', async () => {
    const long = `${'x'.repeat(32_765)}😀${'y'.repeat(100)}`;
    const whole = 'z'.repeat(32_767);
    await new Records(app, `${base}/history`).createAll([
      { body: long, yes: true },
      { body: whole, yes: false },
    ]);
    const [, first, second] = await readXlsx(
      await exported(app, `${base}/history`, 'format=xlsx&fields=body,yes'),
    );
    assert.equal(first?.[1], `${'x'.repeat(32_765)}…`);
    assert.equal(first?.[2], true);
    assert.equal(second?.[1], whole);
    assert.equal(second?.[2], false);
    const [, line] = parseCsv(
      (await exported(app, `${base}/history`, 'format=csv&fields=body,yes')).toString(),
    );
    assert.deepEqual(line?.slice(1), [long, 'true']);
  });

  it('the header is bold and frozen, columns are as wide as their type asks for', async () => {
    const file = await exported(app, `${base}/history`, 'format=xlsx');
    const xml = sheetXml(file);
    assert.match(xml, /<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"\/>/);
    assert.match(xml, /<row r="1"><c r="A1" s="1" t="inlineStr">/);
    const widths = [...xml.matchAll(/<col min="(\d+)" max="\1" width="(\d+)"/g)].map(([, , width]) =>
      Number(width),
    );
    assert.deepEqual(widths, [38, 60, 9, 20, 20]);
    // A name that Excel keeps for itself.
    assert.match(sheetXml(file, 'xl/workbook.xml'), /<sheet name="history_" /);
  });

  it('has as many columns as there are fields', async () => {
    await new Records(app, `${base}/wide`).create({ f0: 1, f25: 2, f59: 3 });
    const file = await exported(app, `${base}/wide`, 'format=xlsx');
    const [header, row] = await readXlsx(file);
    assert.equal(header?.length, 63);
    assert.deepEqual([row?.[1], row?.[26], row?.[60], row?.[59]], [1, 2, 3, null]);
    assert.match(sheetXml(file), /<c r="BI2"><v>3<\/v>/);
  });
});
