import assert from 'node:assert/strict';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Duplicates } from '../../src/commands/import/duplicates.ts';
import type { Json } from '../../src/model/json.ts';
import { readStoredCollection } from '../../src/model/read-collection.ts';
import {
  type Ended,
  key,
  listed,
  makePlace,
  type Place,
  type RunOptions,
  records,
  start,
} from './support.ts';

const shop = {
  id: 'shop',
  collections: [
    { id: 'brands', fields: { name: { type: 'text', unique: true } } },
    {
      id: 'items',
      fields: {
        title: { type: 'text', required: true, maxLength: 20 },
        price: { type: 'number', min: 0 },
        inStock: { type: 'boolean', default: true },
        releasedAt: { type: 'datetime' },
        tags: { type: 'list', of: { type: 'text' } },
        sizes: { type: 'list', of: { type: 'number' }, minItems: 1 },
        brand: { type: 'relation', to: 'brands' },
        brands: { type: 'relation', to: 'brands', kind: 'multiple' },
        sku: { type: 'text', unique: true },
      },
    },
  ],
};

let place: Place;
async function fresh(): Promise<void> {
  place = await makePlace();
  await place.expect(0, ['apply', await place.write('shop.json', shop)]);
}

function load(code: number, file: string, ...more: (string | RunOptions)[]): Promise<Ended> {
  const words = more.filter((word) => typeof word === 'string');
  const options = more.find((word) => typeof word !== 'string');
  return place.expect(
    code,
    ['import', '--project', 'shop', '--collection', 'items', file, ...words],
    options,
  );
}

const without = (rows: Record<string, Json>[]) =>
  rows.map(({ _id, _createdAt, _updatedAt, ...values }) => values);

describe('vitrine import, CSV', () => {
  before(fresh);
  after(() => place.remove());

  it('reads cells by the type of their field; an empty one is unset, a missing column is the default', async () => {
    const brands = await place.write('brands.json', [{ name: 'Fjord' }, { name: 'Sakura' }]);
    await place.expect(0, ['import', '--project', 'shop', '--collection', 'brands', brands]);
    const [one, two] = (await records(place, 'shop/brands')).map(({ _id }) => String(_id)).sort();
    const lines = [
      '\ufefftitle,price,inStock,releasedAt,tags,sizes,brand,brands',
      `"Kettle, ""old""",49.5,false,2026-01-02,"a, b","1, 2.5",${one},"${one}, ${two}"`,
      `"two\r\nlines",-0,,,"[""a, b"",""c""]",[3],,`,
    ];
    const file = await place.write('items.csv', lines.join('\r\n'));
    assert.match((await load(0, file)).out, /^Imported 2 records into shop\.items in /);
    const unset = { releasedAt: null, brand: null, brands: [], sku: null };
    const found = without(await records(place, 'shop/items'));
    found.sort((a, b) => String(a.title).localeCompare(String(b.title)));
    assert.deepEqual(found, [
      {
        ...unset,
        title: 'Kettle, "old"',
        price: 49.5,
        inStock: false,
        releasedAt: '2026-01-02T00:00:00.000Z',
        tags: ['a', 'b'],
        sizes: [1, 2.5],
        brand: one,
        brands: [one, two],
      },
      { ...unset, title: 'two\r\nlines', price: 0, inStock: null, tags: ['a, b'].concat('c'), sizes: [3] },
    ]);
  });

  it('a header that names no field is an error that names the near one; nothing is guessed', async () => {
    const { err } = await load(1, await place.write('h.csv', 'titel,price,price,Title,_id\nx,1,1,x,1\n'));
    for (const part of [
      "column 1 'titel': is no field of the collection, did you mean 'title'?",
      "column 3 'price': is in the header twice",
      "column 4 'Title': is no field",
      "column 5 '_id': is set by the service: leave it out, or give --ignore-service-fields",
    ]) {
      assert.ok(err.includes(part), err);
    }
    assert.match((await load(1, await place.write('e.csv', ''))).err, /there is no header/);
    assert.match(
      (await load(1, await place.write('u.csv', Buffer.from('title\n\xff\n', 'latin1')))).err,
      /not valid UTF-8/,
    );
    assert.match((await load(1, await place.write('q.csv', 'title\nab"c\n'))).err, /not valid CSV.*line 2/);
    assert.match((await load(1, await place.write('q.csv', 'title\n"abc\n'))).err, /not valid CSV/);
  });

  it('tells each bad row with its line and every reason, and imports nothing', async () => {
    const lines = [
      'title,price,inStock,sizes,sku',
      'good,1,true,1,n1',
      ',abc,yes,"1, x",n2',
      '',
      '"multi\nline",1,true,1,n3',
      'too long to be a title of this collection,-1,true,1,n4',
      'x,1',
      'taken,1,true,1,n1',
    ];
    const file = await place.write('bad.csv', `${lines.join('\n')}\n`);
    for (const more of [[], ['--dry-run'], ['--dry-run', '--keep-good']]) {
      const { err } = await load(1, file, ...more);
      const told = err.split('\n').filter((line) => line.startsWith('line'));
      assert.deepEqual(told, [
        "line 3: price: must be a number, such as 12.5, not 'abc'; inStock: must be true or false, not 'yes'; " +
          "sizes: must be a number, such as 12.5, or several with ', ' between them, or a JSON array, not '1, x'",
        'line 7: title: must be at most 20 characters long; price: must be at least 0',
        'line 8: has 2 cells where the header has 5',
        'line 9: sku: "n1" is already taken',
      ]);
    }
    assert.equal((await records(place, 'shop/items')).length, 2, 'nothing was added');
    const kept = await load(0, file, '--keep-good');
    assert.match(kept.out, /Imported 2 records .*; 4 bad rows left out/);
    assert.deepEqual(
      (await records(place, 'shop/items'))
        .slice(-2)
        .map(({ sku }) => sku)
        .sort(),
      ['n1', 'n3'],
    );
  });

  it('takes each line end for one, also where a file has several kinds', async () => {
    const text = 'title,sku\nmixed1,m1\r\nmixed2,m2\rmixed3,"m\r3"\n\r\n,m4\r\n';
    const file = await place.write('mixed.csv', text);
    assert.match((await load(1, file)).err, /^line 7: title: is required\n/);
    await load(0, file, '--keep-good');
    const found = (await records(place, 'shop/items')).filter(({ title }) => /^mixed/.test(String(title)));
    assert.deepEqual(
      found.map(({ title, sku }) => [title, sku]).sort(),
      [1, 2, 3].map((n) => [`mixed${n}`, n === 3 ? 'm\r3' : `m${n}`]),
    );
  });

  it('takes an export back with the flags for it', async () => {
    const { url, stop } = await place.serve();
    const headers = { authorization: `Bearer ${key}` };
    const body = JSON.stringify({ title: '=1+1', tags: ['-a', 'b'], sizes: [-1, 2] });
    await fetch(`${url}/v1/shop/items`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    const exported = await (
      await fetch(`${url}/v1/shop/items/export?format=csv&title=%3D1%2B1`, { headers })
    ).text();
    await stop();
    const file = await place.write('export.csv', exported);
    assert.match((await load(1, file)).err, /'_id': is set by the service/);
    await load(0, file, '--ignore-service-fields', '--restore-formulas');
    const twins = (await records(place, 'shop/items')).filter(({ title }) => title === '=1+1');
    assert.deepEqual(without(twins)[0], without(twins)[1]);
    assert.equal(twins.length, 2);
  });

  it('takes one of JSON back, with lists that are unset where they need items', async () => {
    const row = { _id: '1', title: 'exported', sizes: [], _createdAt: '', _updatedAt: '' };
    const files = { 'e.json': `[${JSON.stringify(row)}]`, 'e.ndjson': JSON.stringify(row) };
    for (const [name, text] of Object.entries(files))
      await load(0, await place.write(name, text), '--ignore-service-fields');
    const found = (await records(place, 'shop/items')).filter(({ title }) => title === 'exported');
    assert.deepEqual(
      found.map(({ sizes }) => sizes),
      [[], []],
    );
  });
});

describe('vitrine import, JSON and NDJSON', () => {
  before(fresh);
  after(() => place.remove());

  it('takes an array or a line each, from a file or standard input', async () => {
    const rows = Array.from({ length: 2_000 }, (_, at) => ({
      title: `t${at}`,
      sku: `é"[{,}]\\${at}`,
      tags: ['x', '}'],
    }));
    await load(0, await place.write('a.json', JSON.stringify(rows.slice(0, 1_000), null, 1)));
    const lines = rows.slice(1_000).map((row) => JSON.stringify(row));
    await load(0, '-', '--format', 'ndjson', { input: `${lines.join('\n\n')}` });
    const { url, stop } = await place.serve();
    const answer = await fetch(`${url}/v1/shop/items?perPage=1`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(((await answer.json()) as { result: { total: number } }).result.total, 2_000);
    await stop();
    await load(0, await place.write('none.json', ' [ ] '));
    await load(0, await place.write('none.ndjson', '\n'));
  });

  it('tells bad rows by the line they begin in', async () => {
    const text =
      '[\n {"title": "a"},\n\n {\n  "title": 5\n }, {"titel": "b"}, 7,\n {"title": "c", "title": "d"}, {x}\n]';
    const { err } = await load(1, await place.write('bad.json', text));
    assert.deepEqual(
      err.split('\n').filter((line) => line.startsWith('line')),
      [
        'line 4: title: must be a string, not a number',
        "line 6: title: is required; titel: is not a field of this collection, did you mean 'title'?",
        'line 6: The row must be a JSON object, not a number',
        'line 7: title: is in the row twice',
        'line 7: The row is not valid JSON',
      ],
    );
    for (const [broken, said] of [
      ['{"title":"a"}', /bad\.json: line 1: must be a JSON array/],
      ['[{"title":"a"}', /bad\.json: line 1: the array is not closed/],
      ['[{"title":"a"},\n]', /bad\.json: line 2: there is a comma/],
      ['[]\n[]', /bad\.json: line 2: there is more after the array/],
      ['', /there is nothing in it/],
    ] as const) {
      assert.match((await load(1, await place.write('bad.json', broken))).err, said);
    }
  });

  it('of a row without an end is refused before it fills the memory', { timeout: 60_000 }, async () => {
    const [long, begun] = [`"${'x'.repeat(1_000)}",`.repeat(100_000), '[{"title":"a"},\n{"tags":['];
    const line = await load(1, await place.write('long.ndjson', `{"title":"a"}\n[${long}`));
    assert.match(line.err, /long\.ndjson: line 2: is longer than 16 MiB: .* give --format json\n$/);
    const element = await load(1, await place.write('long.json', `${begun}${long}`));
    assert.match(element.err, /long\.json: line 2: an element is longer than 16 MiB\n$/);
  });

  /** An import from standard input. */
  function begin(format: string) {
    const words = ['import', '--project', 'shop', '--collection', 'items', '-', '--format', format];
    const child = start([...words, '--data', place.data]);
    let err = '';
    child.stderr.on('data', (part: Buffer) => {
      err += part;
    });
    child.stdin.on('error', () => {});
    const ended = new Promise<string>((resolve) => child.once('close', (code) => resolve(`${code} ${err}`)));
    return { child, ended };
  }

  /** Sends good rows until some of them are in the log. */
  async function writeRows({ child, ended }: ReturnType<typeof begin>): Promise<void> {
    const wal = join(place.data, 'projects/shop.db-wal');
    const size = async () => (await stat(wal).catch(() => ({ size: 0 }))).size;
    const lines = `{"title":"left","tags":["${'x'.repeat(1_000)}"]}\n`.repeat(500);
    while ((await size()) < 1_000_000) {
      assert.equal(child.exitCode, null, 'it ended before it wrote');
      if (!child.stdin.write(lines)) await Promise.race([once(child.stdin, 'drain'), ended]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async function countLeft(): Promise<number> {
    const { url, stop } = await place.serve();
    const answer = await fetch(`${url}/v1/shop/items?title=left`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await stop();
    return ((await answer.json()) as { result: { total: number } }).result.total;
  }

  it('leaves nothing behind when it is killed half-way, and the directory is free again', async () => {
    const writing = begin('ndjson');
    await writeRows(writing);
    writing.child.kill('SIGKILL');
    await writing.ended;
    assert.equal(await countLeft(), 0);
  });

  it('ends where something is wrong, or it is told to, though standard input goes on', async () => {
    const header = begin('csv');
    header.child.stdin.write(`titel\n${'a\n'.repeat(100)}`);
    assert.match(await header.ended, /^1 .*column 1 'titel': is no field of the collection/);
    const array = begin('json');
    array.child.stdin.write('{"title":"a"}');
    assert.match(await array.ended, /^1 .*line 1: must be a JSON array/);
    const stopped = begin('ndjson');
    await writeRows(stopped);
    stopped.child.kill('SIGTERM');
    assert.match(await stopped.ended, /vitrine: nothing was imported: it was stopped\n$/);
    assert.equal(await countLeft(), 0);
  });

  it('tells what is wrong first in a file', async () => {
    const broken = Buffer.from([0xff]);
    const good = '{"title":"a"}\n'.repeat(30_000);
    const said = async (name: string, begin: string, ...more: string[]) => {
      const file = await place.write(name, Buffer.concat([Buffer.from(begin + good), broken]));
      return (await load(1, file, ...more)).err
        .replace(/^.*rows\/s\n/gm, '')
        .replace(/^(vitrine: ).*?: /m, '$1');
    };
    assert.match(await said('early.csv', 'titel\n'), /^vitrine: column 1 'titel': is no field/);
    assert.equal(await said('early.json', '1\n'), 'vitrine: line 1: must be a JSON array of objects\n');
    const end = 'vitrine: not valid UTF-8, before byte 420000: convert it first\n';
    const rows = '{"title":1}\n'.repeat(3);
    const bad = [1, 2, 3].map((line) => `line ${line}: title: must be a string, not a number\n`);
    const late = await said('late.ndjson', rows, '--keep-good');
    assert.equal(late.replace(/byte \d+/, 'byte 420000'), `${bad.join('')}${end}`);
  });

  it('of many megabytes keeps the order of the lines, and what is good among them', {
    timeout: 120_000,
  }, async () => {
    await fresh();
    const count = 12_000;
    const isBad = (line: number) => line % 1_000 === 0;
    const rows = Array.from({ length: count }, (_, index) => {
      const text = `${index + 1} `.padEnd(900, 'ö');
      return JSON.stringify({ title: isBad(index + 1) ? 1 : `t${index + 1}`, tags: [text] });
    });
    const file = await place.write('large.ndjson', rows.join('\n'));
    const { err } = await load(0, file, '--keep-good');
    const bad = Array.from({ length: count / 1_000 }, (_, index) => (index + 1) * 1_000);
    assert.equal(
      err.replace(/^.*rows\/s\n/gm, ''),
      bad.map((line) => `line ${line}: title: must be a string, not a number\n`).join(''),
    );
    const { url, stop } = await place.serve();
    const titles: Json[] = [];
    for (let page = 1; titles.length < count - bad.length; page++) {
      const ask = `${url}/v1/shop/items?perPage=1000&page=${page}&sort=_createdAt&fields=title`;
      const answer = await fetch(ask, { headers: { authorization: `Bearer ${key}` } });
      const { result } = (await answer.json()) as {
        result: { found: Record<string, Json>[]; total: number };
      };
      assert.equal(result.total, count - bad.length);
      titles.push(...result.found.map(({ title = null }) => title));
    }
    await stop();
    const lines = Array.from({ length: count }, (_, index) => index + 1).filter((line) => !isBad(line));
    assert.deepEqual(
      titles,
      lines.map((line) => `t${line}`),
    );
    await fresh();
  });

  it('tells the first 1,000 bad rows and how many there are', async () => {
    const file = await place.write('bad.ndjson', '{"title":1}\n'.repeat(1_500));
    const { err } = await load(1, file);
    assert.equal(err.split('\n').filter((line) => line.startsWith('line')).length, 1_000);
    assert.match(err, /… and 500 more bad rows\n.*1,500 of 1,500 rows are bad/);
  });

  it('a wrong command line is refused with one line', async () => {
    for (const words of [
      ['import', 'x.csv'],
      ['import', '--project', 'shop', 'x.csv'],
      ['import', '--project', 'shop', '--collection', 'items', 'x.txt'],
      ['import', '--project', 'shop', '--collection', 'items', '-'],
      ['import', '--project', 'shop', '--collection', 'items', 'x', '--format', 'cvs'],
      ['import', '--project', 'shop', '--collection', 'items'],
    ]) {
      const { err } = await place.expect(2, words);
      assert.equal(err.trim().split('\n').length, 1, err);
    }
    assert.match((await load(2, 'items.xlsx')).err, /is a workbook: save its sheet as CSV/);
    await load(1, place.path('absent.csv'));
    assert.match(
      (await place.expect(1, ['import', '--project', 'x', '--collection', 'y', 'a.csv'])).err,
      /no project 'x'/,
    );
  });
});

describe('vitrine import, over HTTP', () => {
  let server: { url: string; stop(): Promise<void> };
  before(async () => {
    await fresh();
    server = await place.serve();
  });
  after(async () => {
    await server.stop();
    await place.remove();
  });

  async function send(code: number, file: string, ...more: string[]): Promise<Ended> {
    const words = [
      'import',
      '--project',
      'shop',
      '--collection',
      'items',
      file,
      '--url',
      server.url,
      ...more,
    ];
    const ended = await place.run(words, { environment: { VITRINE_ADMIN_KEY: key } });
    assert.equal(ended.code, code, ended.out + ended.err);
    return ended;
  }
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `t${from + at},s${from + at}\n`).join('');

  it('is all or nothing', async () => {
    await send(0, await place.write('a.csv', `title,sku\n${lines(0, 10)}`));
    const { err } = await send(1, await place.write('b.csv', `title,sku\n${lines(10, 15)}x,s3\n`));
    assert.match(err, /nothing was imported: line 7: sku: "s3" is already taken/);
    await send(1, await place.write('b.csv', `title,sku\n${lines(10, 15)},s99\n`));
    assert.equal((await listed(server.url, 'shop/items')).length, 10);
  });

  it('of many batches is all or nothing too: what was written before a refusal is deleted again', async () => {
    const many = `title,sku\n${lines(20, 2_520)}`;
    const { err } = await send(1, await place.write('d.csv', `${many}x,s3\n`));
    assert.match(
      err,
      /nothing was imported: line 2502: sku: "s3" is already taken; 2,000 records written before were deleted again/,
    );
    assert.equal((await listed(server.url, 'shop/items')).length, 10);
    assert.match(
      (await send(1, await place.write('d.csv', `${many},s9999\n`))).err,
      /^line 2502: title: is required\n/,
    );
    assert.equal((await listed(server.url, 'shop/items')).length, 10);
    const piped = await place.run(
      ['import', '--project', 'shop', '--collection', 'items', '-', '--format', 'csv', '--url', server.url],
      { environment: { VITRINE_ADMIN_KEY: key }, input: `title,sku\n${lines(3_000, 4_200)}` },
    );
    assert.match(piped.out, /Imported 1,200 records/, piped.err);
  });

  it('of very many list items is divided by what a batch of them does', async () => {
    const sizes = Array.from({ length: 1_000 }, (_, n) => n);
    const rows = (last: string) =>
      Array.from({ length: 75 }, (_, n) => ({ title: `t${n}`, sku: n < 74 ? `l${n}` : last, sizes }));
    const { err } = await send(1, await place.write('l.json', rows('s3')));
    assert.match(err, /sku: "s3" is already taken; 69 records written before were deleted again/); // three batches of 23
    assert.match((await send(0, await place.write('l.json', rows('l74')))).out, /Imported 75 records/);
  });

  it('finds the same unique value twice in the file, also in a dry run', async () => {
    const file = await place.write('e.csv', `title,sku\n${lines(5_000, 5_010)}x,s5002\n`);
    assert.match((await send(1, file, '--dry-run')).err, /^line 12: sku: is the same as in line 4\n/);
  });

  it('with --keep-good finds the rows that are to blame', async () => {
    const file = await place.write('c.csv', `title,sku\n${lines(5, 1_505)},s2000\nx,s600\n`);
    await send(1, file, '--keep-good', '--dry-run');
    const kept = await send(0, file, '--keep-good');
    assert.match(kept.out, /Imported 1,495 records .*; 7 bad rows left out/);
    assert.match(kept.err, /^line 2: sku: "s5" is already taken\n/);
    assert.match(kept.err, /\nline 1502: title: is required\nline 1503: sku: is the same as in line 597\n/);
  });

  it('with --keep-good takes a row whose value only a row that is left out has too', async () => {
    const strange = '01982f4e-7a3c-7b1e-9d52-3f0c8a6e4b17';
    const file = await place.write('k.csv', `title,sku,brand\na,k1,${strange}\nb,k1,\n`);
    const kept = await send(0, file, '--keep-good');
    assert.match(kept.out, /Imported 1 record .*; 1 bad row left out/);
    assert.match(kept.err, /^line 2: brand: there is no record/);
  });

  it('finds no value twice that only a row which is refused has', () => {
    const fields = { sku: { type: 'text', unique: true }, mail: { type: 'email', unique: true } };
    const duplicates = new Duplicates(readStoredCollection({ id: 'x', name: 'x', fields }, new Set()));
    assert.equal(duplicates.find(2, { sku: 'a', mail: 'm@x.example' }), undefined);
    assert.match(duplicates.find(3, { sku: 'b', mail: 'M@x.example' }) ?? '', /mail: .* line 2/);
    assert.equal(duplicates.find(4, { sku: 'b', mail: 'n@x.example' }), undefined);
  });
});
