import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Definition } from '../../client/admin.ts';
import { decodeText, readCsvTable, readJsonTable, tableOf } from '../../console/screens/import/read-file.ts';
import { faultText, isDefused, payloadOf, repeatedColumns } from '../../console/screens/import/to-payload.ts';
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
    tags: { type: 'list', of: { type: 'text' } },
  },
} as unknown as Definition;

function read(column: string, value: string, restores = false) {
  const row = { number: 1, values: { [column]: value }, isText: true };
  const checked = payloadOf(row, { mapping: { [column]: column }, restores }, definition);
  return checked.faults.length > 0 ? faultText(checked) : checked.payload[column];
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

it('a list is read as an export writes it, and where mere commas stand between its values', () => {
  assert.deepEqual(read('tags', 'b,c, d'), ['b,c', 'd']);
  assert.deepEqual(read('tags', 'b,c,d'), ['b', 'c', 'd']);
  assert.deepEqual(read('tags', '["b, c", "d"]'), ['b, c', 'd']);
  assert.deepEqual(read('tags', '[b, c]'), ['[b', 'c]']);
  assert.deepEqual(read('sizes', '[1, 2.5]'), [1, 2.5]);
});

it("the ' that an export puts before a formula is found, and taken off if that is wanted", () => {
  for (const [cell, text] of [
    ["'-1+2", '-1+2'],
    ["'=A1", '=A1'],
    ["'tis", "'tis"],
    ["''-1", "''-1"],
  ] as const) {
    const table = readCsvTable(`title\n${cell}\n`, ',');
    assert.equal(isDefused(table), cell !== text, cell);
    assert.equal(read('title', cell, true), text);
    assert.equal(read('title', cell), cell);
  }
});

it('what an export of this very collection has is imported as it was', { skip }, async () => {
  assert.ok(world);
  const records = world.admin.records('shop').collection('products');
  const page = await world.at('/shop/products/_import');
  const buffer = Buffer.from("title\n'-1+2 from an export\n");
  await page.getByLabel('File').setInputFiles({ name: 'x.csv', mimeType: 'text/csv', buffer });
  const restore = page.getByLabel("Take off the ' that an export puts before texts");
  assert.ok(await restore.isChecked());
  await page.getByRole('button', { name: 'Check all rows' }).click();
  await page.getByRole('button', { name: 'Import 1 row' }).click();
  await page.getByText('Done: 1 record is imported.').waitFor();
  assert.equal((await records.list({ where: { title: '-1+2 from an export' } })).total, 1);
  await done(page);
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

it('every rule of the collection is checked before a row is written', { skip }, async () => {
  assert.ok(world);
  const { collections } = world.admin.project('shop');
  const fields = {
    email: { type: 'email', required: true, unique: true },
    link: { type: 'url' },
    day: { type: 'datetime', min: '2026-01-01' },
    code: { type: 'text', pattern: '[A-Z]{2}', unique: true },
    size: { type: 'number', integer: true, min: 1, max: 9 },
    kind: { type: 'text', options: ['a', 'b'], default: 'a' },
    name: { type: 'text', minLength: 2, maxLength: 4 },
    sizes: { type: 'list', of: { type: 'number', min: 1 }, maxItems: 2 },
    no: { type: 'number', unique: true },
    at: { type: 'datetime', unique: true },
    brand: { type: 'relation', to: 'brands', kind: 'multiple' },
  };
  await collections.create({ id: 'strict', fields, indexes: [{ fields: ['name', 'size'], unique: true }] });
  const records = world.admin.records('shop').collection('strict');
  await records.create({ email: 'taken@example.com', code: 'ZZ', no: 7, at: '2026-03-01' });
  const lines = [
    'email,link,day,code,size,kind,name,sizes,brand,no,at',
    'good@example.com,https://example.com,2026-02-01,AA,5,b,Anna,"1,2",Fjord,1,',
    'none,example.com,2025-02-01,abc,1.5,c,A,"1,2,3","Fjord,Fjord",2,',
    ',,soon,,99,,Annabel,"0,1",Nobody,,',
    'Taken@example.com,,,ZZ,x,,,,,7,2026-03-01',
    'GOOD@example.com,,2026-02-01T00:00:00Z,AA,5,,Anna,,,,',
    'other@example.com,,,,,,,,,8,',
  ];
  const page = await world.at('/shop/strict/_import');
  const buffer = Buffer.from(`${lines.join('\n')}\n`);
  await page.getByLabel('File').setInputFiles({ name: 'x.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Check all rows' }).click();
  await page.getByText('2 rows can be imported').waitFor();
  const found = page.getByRole('region', { name: 'What the check found' });
  const told = (await found.getByRole('row').allInnerTexts()).slice(1).map((text) => text.split('; '));
  assert.deepEqual(told, [
    [
      '2\temail: must be an email address, such as ann@example.com',
      'link: must be an absolute http or https URL, such as https://example.com/page',
      'day: must not be before 2026-01-01T00:00:00.000Z',
      'code: must match the pattern [A-Z]{2}',
      'size: must be a whole number',
      'kind: must be one of a, b',
      'name: must be at least 2 characters long',
      'sizes: must have at most 2 items',
      'brand[1]: must not be there twice',
    ],
    [
      "3\tbrand: no record of Brands is called 'Nobody'",
      'email: is required',
      'day: must be a date and time with an offset, such as 2026-01-02T03:04:05Z, or a date alone, such as 2026-01-02',
      'size: must be at most 9',
      'name: must be at most 4 characters long',
      'sizes[0]: must be at least 1',
    ],
    [
      "4\tsize: must be a number, not 'x'",
      'email: "Taken@example.com" is already taken',
      'code: "ZZ" is already taken',
      'no: 7 is already taken',
      'at: "2026-03-01T00:00:00.000Z" is already taken',
    ],
    [
      '5\temail: is the same as in row 1',
      'code: is the same as in row 1',
      'name, size: is the same as in row 1',
    ],
  ]);
  await page.getByRole('button', { name: 'Import the 2 good rows only' }).click();
  await page.getByText('Done: 2 records are imported.').waitFor();
  assert.equal((await records.list()).total, 3);
  await done(page);
});

it('rows that the server refuses at the import are told, and the others can be imported then', {
  skip,
}, async () => {
  assert.ok(world);
  const { collections } = world.admin.project('shop');
  await collections.create({ id: 'parts', fields: { code: { type: 'text', unique: true } } });
  const records = world.admin.records('shop').collection('parts');
  const page = await world.at('/shop/parts/_import');
  const lines = Array.from({ length: 1200 }, (_, at) => (at === 500 ? 'x'.repeat(20_000) : `Part ${at + 1}`));
  const buffer = Buffer.from(`code\n${lines.join('\n')}\nPart 1\n`);
  await page.getByLabel('File').setInputFiles({ name: 'x.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Check all rows' }).click();
  const start = page.getByRole('button', { name: /^Import the/ });
  await page.getByText('1,200 rows can be imported').waitFor();
  await records.create({ code: 'Part 1100' }); // somebody else is faster
  await start.click();
  await page.getByText('Nothing was imported: the server refused 1 row').waitFor();
  assert.match(await page.getByLabel('File').inputValue(), /x\.csv$/);
  assert.equal((await records.list()).total, 1, 'the first batch is deleted again');
  assert.deepEqual((await page.getByRole('row').allInnerTexts()).slice(-2), [
    '1100\tcode: "Part 1100" is already taken',
    '1201\tcode: is the same as in row 1',
  ]);

  // A refusal of no row in particular: it can be tried again.
  const message = 'This is closed for today';
  await page.route('**/v1/shop/parts/batch', (route) =>
    route.fulfill({ status: 403, json: { ok: false, error: message } }),
  );
  await start.click();
  await page.getByRole('alert').getByText(message).waitFor();
  await page.unroute('**/v1/shop/parts/batch');
  await page.getByRole('button', { name: 'Import the 1,199 good rows only' }).click();
  await page.getByText('Done: 1,199 records are imported.').waitFor();
  assert.equal((await records.list()).total, 1200);
  await done(page);
});
