import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../src/model/json.ts';
import { startApp, type TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { asAdmin, definition, makeProject, Records, type Row } from '../support.ts';
import { csvText, exported, fill, parseCsv, readXlsx, viewAll } from './support.ts';

const fields = {
  title: { type: 'text' },
  body: { type: 'content' },
  price: { type: 'number' },
  inStock: { type: 'boolean' },
  releasedAt: { type: 'datetime' },
  tags: { type: 'list', of: { type: 'text' } },
  sizes: { type: 'list', of: { type: 'number' } },
  times: { type: 'list', of: { type: 'datetime' } },
  brand: { type: 'relation', to: 'brands', kind: 'single' },
  others: { type: 'relation', to: 'brands', kind: 'multiple' },
};
const names = ['_id', ...Object.keys(fields), '_createdAt', '_updatedAt'];

const hostile = fc.constantFrom(
  '"',
  ',',
  '\r',
  '\n',
  '\r\n',
  '=1+1',
  '-',
  "'",
  '<&>',
  '_x0041_',
  '\u0007',
  '\ufffe',
  ' ',
  'é',
  '😀',
);
const words = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 5 }), hostile), { maxLength: 5 })
  .map((parts) => parts.join(''))
  .filter((text) => !text.includes('\0') && text.isWellFormed());
const instant = fc
  .date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString())
  .filter((text) => /^\d{4}-/.test(text));
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

/** Excel has neither the largest numbers nor the smallest. */
const outOfExcel = (value: number) =>
  value !== 0 && (Math.abs(value) < 2.2250738585072014e-308 || Math.abs(value) > 9.99999999999999e307);

describe(`every format holds what View All shows (VITRINE_SEED=${seed})`, () => {
  let app: TestApp;
  let path: string;
  let rows: Row[];
  before(async () => {
    app = await startApp();
    const base = await makeProject(
      app,
      definition('brands', { name: { type: 'text' } }),
      definition('products', fields),
    );
    path = `${base}/products`;
    const brands = await new Records(app, `${base}/brands`).createAll([{ name: 'a' }, { name: 'b' }]);
    const ids = brands.map(({ _id }) => _id);
    const record = fc.record({
      title: maybe(words),
      body: maybe(words),
      price: maybe(number),
      inStock: maybe(fc.boolean()),
      releasedAt: maybe(instant),
      tags: fc.array(words, { maxLength: 3 }),
      sizes: fc.array(number, { maxLength: 3 }),
      times: fc.array(instant, { maxLength: 2 }),
      brand: maybe(fc.constantFrom(...ids)),
      others: fc.subarray(ids),
    });
    const records = fc.sample(record, { numRuns: 1500, seed }) as JsonObject[];
    await fill(app, path, records);
    rows = await viewAll(app, path);
    assert.equal(rows.length, 1500);
  });
  after(() => app.close());

  /** Any of View All's queries. */
  const query = fc
    .record({
      sort: maybe(fc.constantFrom('price', '-price', 'title,-releasedAt', '-_createdAt', 'inStock', '_id')),
      fields: maybe(
        fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }).map((some) => some.join(',')),
      ),
      search: maybe(fc.constantFrom('é', '😀', 'a')),
      inStock: maybe(fc.constantFrom('true', 'false')),
    })
    .map((some) => Object.entries(some).filter(([, value]) => value !== null) as [string, string][])
    .map((some) => new URLSearchParams(some).toString());

  it('json and ndjson: the same records', () =>
    fc.assert(
      fc.asyncProperty(query, async (text) => {
        const expected = await viewAll(app, path, text);
        const array = await exported(app, path, `format=json&${text}`);
        assert.deepEqual(JSON.parse(array.toString()), expected);
        const lines = (await exported(app, path, `format=ndjson&${text}`)).toString().split('\n');
        assert.equal(lines.pop(), '');
        assert.deepEqual(
          lines,
          expected.map((row) => JSON.stringify(row)),
        );
      }),
      { seed, numRuns: 25 },
    ));

  it('csv: the same values as text', () =>
    fc.assert(
      fc.asyncProperty(query, async (text) => {
        const expected = await viewAll(app, path, text);
        const [header, ...lines] = parseCsv((await exported(app, path, `format=csv&${text}`)).toString());
        if (expected[0]) assert.deepEqual(header, Object.keys(expected[0]));
        assert.deepEqual(
          lines,
          expected.map((row) => Object.values(row).map((value) => csvText(value))),
        );
      }),
      { seed, numRuns: 25 },
    ));

  it('xlsx: numbers, booleans and dates as such, the rest as text', async () => {
    const [header, ...lines] = await readXlsx(await exported(app, path, 'format=xlsx'));
    assert.deepEqual(header, names);
    assert.equal(lines.length, rows.length);
    for (const [index, row] of rows.entries()) {
      for (const [column, name] of names.entries()) {
        const value = row[name];
        const cell = lines[index]?.[column] ?? null;
        const said = `${name} of ${JSON.stringify(row)}: ${JSON.stringify(cell)}`;
        if (value === null || value === '' || (Array.isArray(value) && value.join(', ') === '')) {
          assert.equal(cell, null, said);
        } else if (name === 'releasedAt' && String(value) < '1900-03-01') {
          assert.equal(cell, value, said);
        } else if (['releasedAt', '_createdAt', '_updatedAt'].includes(name)) {
          assert.ok(cell instanceof Date, said);
          assert.ok(Math.abs(cell.getTime() - Date.parse(String(value))) <= 1, said);
        } else if (name === 'price' && outOfExcel(Number(value))) {
          assert.equal(cell, String(value), said);
        } else {
          assert.deepEqual(cell, Array.isArray(value) ? value.join(', ') : value, said);
        }
      }
    }
  });

  it('nothing found: a valid file without records', async () => {
    const none = 'title=there is no such title';
    assert.deepEqual(JSON.parse((await exported(app, path, `format=json&${none}`)).toString()), []);
    assert.equal((await exported(app, path, `format=ndjson&${none}`)).toString(), '');
    assert.equal((await exported(app, path, `format=csv&${none}`)).toString(), `${names.join(',')}\r\n`);
    assert.deepEqual(await readXlsx(await exported(app, path, `format=xlsx&${none}`)), [names]);
  });

  it('is a download named after the collection', async () => {
    const types = {
      csv: 'text/csv; charset=utf-8; header=present',
      xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      json: 'application/json; charset=utf-8',
      ndjson: 'application/x-ndjson; charset=utf-8',
    };
    for (const [format, type] of Object.entries(types)) {
      for (const verb of ['GET', 'HEAD']) {
        const { status, headers } = await app.call(verb, `${path}/export?format=${format}`, asAdmin);
        assert.equal(status, 200);
        assert.equal(headers.get('content-type'), type);
        assert.equal(headers.get('content-disposition'), `attachment; filename="products.${format}"`);
      }
    }
  });

  it('begins with a byte order mark when asked to', async () => {
    const without = await exported(app, path, 'format=csv&bom=false');
    const file = await exported(app, path, 'format=csv&bom=true');
    assert.deepEqual(file, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), without]));
  });
});
