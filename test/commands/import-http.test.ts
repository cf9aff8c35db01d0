import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { after, before, beforeEach, it } from 'node:test';
import { promisify } from 'node:util';
import { type Fate, standBetween } from './in-between.ts';
import { key, makePlace, type Place, start } from './support.ts';

const shop = {
  id: 'shop',
  collections: [{ id: 'items', fields: { title: { type: 'text', required: true, unique: true } } }],
};
const environment = { VITRINE_ADMIN_KEY: key };
const ndjson = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `{"title":"t${from + at}"}\n`).join('');

let place: Place;
let server: { url: string; stop(): Promise<void> };
before(async () => {
  place = await makePlace();
  await place.expect(0, ['apply', await place.write('shop.json', shop)]);
  server = await place.serve();
});
after(async () => {
  await server.stop();
  await place.remove();
});

const words = (file: string, url = server.url) => [
  ...['import', '--project', 'shop', '--collection', 'items', file],
  ...['--format', 'ndjson', '--url', url],
];

beforeEach(async () => {
  for (;;) {
    const found = await ask<{ found: { _id: string }[] }>('GET', '?perPage=1000&fields=_id');
    if (found.found.length === 0) return;
    await ask('POST', '/batch', { delete: found.found.map(({ _id }) => _id) });
  }
});

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const answer = await fetch(`${server.url}/v1/shop/items${path}`, sent);
  return ((await answer.json()) as { result: T }).result;
}
const count = async () => (await ask<{ total: number }>('GET', '?perPage=1')).total;
const create = (title: string) => ask('POST', '', { title });
async function remove(title: string): Promise<void> {
  const { found } = await ask<{ found: { _id: string }[] }>('GET', `?title=${title}`);
  await ask('DELETE', `/${found[0]?._id}`);
}

/** Stands before the server, and decides what becomes of each batch: the nth, from 1. */
function inBetween(fate: (nth: number, rows: string) => Fate | Promise<Fate>) {
  let nth = 0;
  return standBetween(server.url, (path, body) => (path.endsWith('/batch') ? fate(++nth, body) : 'pass'));
}

it('of a named pipe, which can be read once, imports what is in it', async () => {
  const pipe = place.path('pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const written = writeFile(pipe, ndjson(0, 3));
  const { code, out, err } = await place.run(words(pipe), { environment });
  await written;
  assert.equal(code, 0, err);
  assert.match(out, /^Imported 3 records /);
  assert.equal(await count(), 3);
});

it('of a file that is changed between the check and the sending leaves nothing', async () => {
  const file = await place.write('grows.ndjson', ndjson(0, 10_000));
  const between = await inBetween(async (nth): Promise<Fate> => {
    if (nth === 1) await appendFile(file, ndjson(10_000, 500));
    return 'pass';
  });
  const { code, err } = await place.run(words(file, between.url), { environment });
  between.close();
  assert.equal(code, 1);
  assert.match(
    err,
    /nothing was imported: the file was changed meanwhile: 10,000 rows when it was checked, then 10,500/,
  );
  assert.equal(await count(), 0);
});

it('a batch whose answer is lost is asked for again, and written once', async () => {
  const fates: Fate[] = ['pass', 'answer lost', 'answer lost', 'answer lost', '502', 'pass'];
  const between = await inBetween((nth) => fates[nth - 1] ?? 'pass');
  const file = await place.write('lost.ndjson', ndjson(0, 2_500));
  const { code, out, err } = await place.run(words(file, between.url), { environment });
  between.close();
  assert.equal(code, 0, err);
  assert.match(out, /^Imported 2,500 records /);
  assert.equal(await count(), 2_500);
});

it('a server that goes away for good: it is told what is left, and what perhaps is', async () => {
  const between = await inBetween((nth) => (nth <= 2 ? 'pass' : 'no answer'));
  const file = await place.write('gone.ndjson', ndjson(0, 2_500));
  const { code, err } = await place.run(words(file, between.url), { environment });
  between.close();
  assert.equal(code, 1);
  const told =
    /gone\.ndjson: the import broke off: .*; left in the collection: 2,000 records, the first created at 20[^,]*Z, and perhaps those of lines 2001 to 2500\n$/;
  assert.match(err, told);
});

it('what was deleted by somebody meanwhile is no hindrance to deleting the rest', async () => {
  await create('t2400');
  const between = await inBetween(async (nth): Promise<Fate> => {
    if (nth === 3) await remove('t7');
    return 'pass';
  });
  const file = await place.write('refused.ndjson', ndjson(0, 2_500));
  const { code, err } = await place.run(words(file, between.url), { environment });
  between.close();
  assert.equal(code, 1);
  assert.match(err, /nothing was imported: line 2401: title: "t2400" is already taken/);
  assert.equal(await count(), 1);
});

it('with --keep-good tells how far it came', async () => {
  await create('t5');
  const between = await inBetween((_, rows) => (rows.includes('t1700') ? 'no answer' : 'pass'));
  const file = await place.write('far.ndjson', ndjson(0, 2_500));
  const { code, err } = await place.run([...words(file, between.url), '--keep-good'], { environment });
  between.close();
  assert.equal(code, 1);
  assert.match(err, /^line 6: title: "t5" is already taken\n/);
  assert.match(
    err,
    /the import broke off: .*; imported, and left there: 999 records, and perhaps those of lines 1001 to 2000\n$/,
  );
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  it(`${signal} half way deletes what was written, and the copy of standard input`, async () => {
    const temporary = place.path(signal);
    await mkdir(temporary);
    const between = await inBetween((nth): Fate => {
      if (nth === 3) {
        child.kill(signal);
        const begun = performance.now();
        const again = () => performance.now() - begun < 500 && child.kill(signal); // a second later it would be another
        setTimeout(again, 50); // a terminal's Ctrl-C comes twice
      }
      return 'pass';
    });
    const child = start(words('-', between.url), { environment: { ...environment, TMPDIR: temporary } });
    let told = '';
    child.stderr.on('data', (part) => {
      told += part;
    });
    child.stdin.end(ndjson(0, 20_000));
    const [code] = await once(child, 'close');
    between.close();
    assert.equal(code, 1, told);
    assert.match(
      told,
      /nothing was imported: it was stopped; [\d,]+ records written before were deleted again\n$/,
    );
    assert.equal(await count(), 0);
    assert.deepEqual(await readdir(temporary), []);
  });
}

it('standard input that can not be copied is one line', async () => {
  const nowhere = { ...environment, TMPDIR: place.path('nowhere') };
  const { code, err } = await place.run(words('-'), { environment: nowhere, input: ndjson(0, 10) });
  assert.equal(code, 1);
  assert.match(err, /^vitrine: [^\n]*nowhere: there is no such file or folder\n$/);
});

it('is stopped also while it waits for standard input', async () => {
  const temporary = place.path('waiting');
  await mkdir(temporary);
  const child = start(words('-'), { environment: { ...environment, TMPDIR: temporary } });
  child.stdin.write(ndjson(0, 10));
  while ((await readdir(temporary)).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  assert.equal(code, 1);
  assert.deepEqual(await readdir(temporary), []);
});
