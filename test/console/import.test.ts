import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Definition } from '../../client/admin.ts';
import { decodeText, readCsvTable, readJsonTable, tableOf } from '../../console/screens/import/read-file.ts';
import { payloadOf, repeatedColumns } from '../../console/screens/import/to-payload.ts';
import { skipWithout } from '../browser.ts';
import { done, makeShop, startConsole } from './world.ts';

const world = await startConsole();
const skip = skipWithout(world?.browser);
before(async () => {
  if (world) await makeShop(world, 'shop', 1);
});
after(() => world?.close());

const definition = {
  id: 'items',
  fields: {
    title: { type: 'text' },
    price: { type: 'number' },
    inStock: { type: 'boolean' },
    sizes: { type: 'list', of: { type: 'number' } },
  },
} as unknown as Definition;

function read(column: string, value: string) {
  const row = { number: 1, values: { [column]: value }, isText: true };
  const { payload, fault } = payloadOf(row, { [column]: column }, definition);
  return fault ?? payload[column];
}

it('a cell is a number only where it is written as one in decimals', () => {
  for (const [cell, value] of [
    ['12.5', 12.5],
    [' -3 ', -3],
    ['+4', 4],
    ['.5', 0.5],
    ['1E-5', 0.00001],
    ['', null],
    [' ', null],
    ['0x1F', "price: must be a number, not '0x1F'"],
    ['0b1', "price: must be a number, not '0b1'"],
    ['Infinity', "price: must be a number, not 'Infinity'"],
    ['1e999', "price: must be a number, not '1e999'"],
  ] as const) {
    assert.equal(read('price', cell), value, `'${cell}'`);
  }
  assert.deepEqual(read('sizes', '1, 2.5'), [1, 2.5]);
  assert.equal(read('sizes', '1, 0x2'), "sizes: must be a list, not '1, 0x2'");
  assert.equal(read('inStock', ' Yes '), true);
  assert.equal(read('inStock', ' '), null);
  assert.equal(read('title', ' '), ' ');
});

it('a file that is not UTF-8 is refused with what to do', () => {
  assert.equal(decodeText(Buffer.from('\ufefftitle\nMüller\n')), 'title\nMüller\n');
  assert.throws(() => decodeText(Buffer.from('title\nMüller\n', 'latin1')), /not UTF-8.*CSV UTF-8.*XLSX/);
  assert.throws(() => decodeText(Buffer.from('\ufefftitle\n', 'utf16le')), /not UTF-8/);
});

it('columns of one name are refused, as one of them would be lost', () => {
  assert.throws(() => readCsvTable('title,price,title\na,1,b\n', ','), /two columns are called 'title'/);
  assert.throws(() => readCsvTable('title,,\na,1,2\n', ','), /two columns have no name/);
  const { columns, rows } = readCsvTable('title,,,\na,,,\nb,,,x\n', ',');
  assert.deepEqual(columns, ['title', '']);
  assert.deepEqual(
    rows.map(({ values }) => values),
    [
      { title: 'a', '': '' },
      { title: 'b', '': 'x' },
    ],
  );
  assert.throws(() => tableOf(['a', 'a'], [['1', '2']]), /two columns are called 'a'/);
  assert.deepEqual(tableOf(['a', 'b'], [['1']]).rows[0]?.values, { a: '1', b: '' });
});

it('a key that stands in JSON twice is refused, as one of its values would be lost', () => {
  const good = '[{"title": "a {\\"title\\": 1}", "of": {"title": "b"}}, {"title": ["title", "title"]}]';
  assert.equal(readJsonTable(good).rows.length, 2);
  assert.throws(
    () => readJsonTable('[\n{"title": "a"},\n{"title": "a", "t\\u0069tle" : "b"}\n]'),
    /'title' is there twice, again on line 3: keep one/,
  );
  assert.throws(
    () => readJsonTable('{"a": 1}\n{"a": {"b": 1, "b": 2}}'),
    /row 2: 'b' is there twice: keep one/,
  );
  assert.throws(() => readJsonTable('{"a": 1}\n{"a": }'), /^Error: row 2: /);
});

it('two columns for one field are told, as one of them would be lost', { skip }, async () => {
  assert.ok(world);
  const table = { columns: ['Title', 'x', 'title', 'y'], rows: [] };
  const mapping = { Title: 'title', x: '', title: 'title', y: '' };
  assert.deepEqual([...repeatedColumns(table, mapping)], ['title']);
  const page = await world.at('/shop/products/_import');
  const buffer = Buffer.from('Title,title,price\nOne,Other,5\n');
  await page.getByLabel('File').setInputFiles({ name: 'x.csv', mimeType: 'text/csv', buffer });
  await page.getByText('A column above is already used for this field').waitFor();
  const check = page.getByRole('button', { name: 'Check all rows' });
  assert.ok(await check.isDisabled());
  await page.getByLabel('Title: Field', { exact: true }).selectOption('');
  await check.click();
  await page.getByRole('button', { name: 'Import 1 row' }).click();
  await page.getByText('Done: 1 record is imported.').waitFor();
  const found = await world.admin
    .records('shop')
    .collection('products')
    .list({ where: { title: 'Other' } });
  assert.equal(found.total, 1);
  await done(page);
});

it('of a file that is refused nothing can be imported, until another is chosen', { skip }, async () => {
  assert.ok(world);
  const page = await world.at('/shop/products/_import');
  const choose = (text: string, encoding: BufferEncoding) =>
    page
      .getByLabel('File')
      .setInputFiles({ name: 'x.csv', mimeType: 'text/csv', buffer: Buffer.from(text, encoding) });
  const check = page.getByRole('button', { name: 'Check all rows' });
  await choose('title;price\nMüller;1\n', 'latin1');
  await page.getByText("This file can't be read: it is not UTF-8").waitFor();
  assert.equal(await check.count(), 0);
  await choose('title;title\nA;B\n', 'utf8');
  await page.getByText("two columns are called 'title'").waitFor();
  assert.equal(await check.count(), 0);
  await choose('title;price\nMüller;1\n', 'utf8');
  await check.click();
  await page.getByRole('button', { name: 'Import 1 row' }).click();
  await page.getByText('Done: 1 record is imported.').waitFor();
  const found = await world.admin.records('shop').collection('products').list({ search: 'Müller' });
  assert.equal(found.total, 1);
  await done(page);
});
