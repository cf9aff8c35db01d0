import assert from 'node:assert/strict';
import { chmod, chown, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { after, before, it } from 'node:test';
import { startChild } from '../children.ts';
import { pause } from '../support.ts';
import { type Fate, standBetween } from './in-between.ts';
import { type Ended, key, main, makePlace, type Place, start } from './support.ts';

const shop = {
  id: 'shop',
  collections: [{ id: 'items', fields: { title: { type: 'text' }, price: { type: 'number' } } }],
};

let place: Place;
let server: { url: string; stop(): Promise<void> };
before(async () => {
  place = await makePlace();
  await place.expect(0, ['apply', await place.write('shop.json', shop)]);
  const rows = Array.from({ length: 20 }, (_, price) => ({ title: price < 3 ? 'C#' : 'C', price }));
  const file = await place.write('rows.json', rows);
  await place.expect(0, ['import', '--project', 'shop', '--collection', 'items', file]);
  server = await place.serve();
});
after(async () => {
  await server.stop();
  await place.remove();
});

const exported = (url: string, ...more: string[]) =>
  place.run(['export', '--project', 'shop', '--collection', 'items', '--url', url, ...more], {
    environment: { VITRINE_ADMIN_KEY: key },
  });

function isOneLine({ code, err }: Ended, said: RegExp): void {
  assert.equal(code, 1, err);
  assert.match(err, /^vitrine: [^\n]*\n$/);
  assert.match(err, said);
}

it('an export from nobody, from a proxy in trouble or from a server that dies is one line', async () => {
  isOneLine(await exported('http://127.0.0.1:9'), /http:\/\/127\.0\.0\.1:9 can't be reached: /);
  const fates: [Fate, RegExp][] = [
    ['no answer', /can't be reached: /],
    ['502', /The server answered 502/],
    ['half an answer', /the answer broke off: /],
  ];
  for (const [fate, said] of fates) {
    const between = await standBetween(server.url, () => fate);
    isOneLine(await exported(between.url), said);
    between.close();
  }
});

it('an export to a file that breaks off leaves the file of before, and nothing else', async () => {
  const file = place.path('items.csv');
  assert.equal((await exported(server.url, '--out', file)).code, 0);
  await chmod(file, 0o600);
  const before = await readFile(file, 'utf8');
  for (const fate of ['half an answer', 'no answer', '502'] as const) {
    const between = await standBetween(server.url, () => fate);
    assert.equal((await exported(between.url, '--out', file)).code, 1);
    between.close();
    assert.equal(await readFile(file, 'utf8'), before);
  }
  assert.deepEqual(
    (await readdir(place.directory)).filter((name) => name.startsWith('items')),
    ['items.csv'],
  );
  assert.equal((await exported(server.url, '--out', file, '--query', 'price=1')).code, 0);
  assert.notEqual(await readFile(file, 'utf8'), before);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal((await exported(server.url, '--out', '/dev/null', '--format', 'csv')).code, 0);
  assert.ok((await stat('/dev/null')).isCharacterDevice());
});

/** The names beside a file under which it is made. */
const draftsOf = async (file: string) =>
  (await readdir(place.directory)).filter((name) => place.path(name).startsWith(`${file}.incomplete`));

it('an export to a file that is stopped leaves the file of before, and nothing else', async () => {
  const file = place.path('stopped.csv');
  assert.equal((await exported(server.url, '--out', file)).code, 0);
  const before = await readFile(file, 'utf8');
  const asked = Promise.withResolvers<void>();
  const between = await standBetween(server.url, () => {
    asked.resolve();
    return 'silence after half';
  });
  const words = ['export', '--project', 'shop', '--collection', 'items', '--out', file];
  const child = start([...words, '--url', between.url], { environment: { VITRINE_ADMIN_KEY: key } });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await asked.promise;
  while ((await draftsOf(file)).length === 0) await pause(20);
  // Another one to the same file meanwhile has nothing to do with what this one makes; what an end left there goes.
  const left = `${file}.incomplete-${2 ** 31 - 1}`;
  await writeFile(left, 'half of it');
  const drafts = (await draftsOf(file)).filter((name) => place.path(name) !== left);
  assert.equal((await exported(server.url, '--out', file)).code, 0);
  assert.deepEqual(await draftsOf(file), drafts);
  child.kill('SIGINT');
  assert.equal(await ended, 1);
  between.close();
  assert.equal(await readFile(file, 'utf8'), before);
  assert.deepEqual(await draftsOf(file), []);
});

it('an export keeps whose a file is', { skip: process.geteuid?.() !== 0 && 'needs root' }, async () => {
  const file = place.path('theirs.csv');
  await writeFile(file, 'old');
  await chown(file, 4321, 4322);
  await chmod(file, 0o640);
  assert.equal((await exported(server.url, '--out', file)).code, 0);
  const { uid, gid, mode } = await stat(file);
  assert.deepEqual([uid, gid, mode & 0o7777], [4321, 4322, 0o640]);
  assert.notEqual(await readFile(file, 'utf8'), 'old');
});

it('a definition that can not be written as a whole leaves the file of before', async () => {
  const file = place.path('pulled.json');
  await writeFile(file, '{"mine": true}');
  const words = ['pull', '--project', 'shop', '--out', file, '--url', server.url];
  // As if the disk were full: no file may have a single byte.
  const limited = ['-c', `trap '' XFSZ; ulimit -f 0; exec "$0" "$@"`, process.execPath, main, ...words];
  const child = startChild('sh', limited, { env: { ...process.env, VITRINE_ADMIN_KEY: key } });
  assert.equal(await new Promise((resolve) => child.once('close', resolve)), 1);
  assert.equal(await readFile(file, 'utf8'), '{"mine": true}');
  assert.deepEqual(await draftsOf(file), []);
});

it('a query may have a # in it', async () => {
  const words = ['--query', 'title=C#&sort=-price&fields=price', '--format', 'csv'];
  const { out, err } = await exported(server.url, ...words);
  const prices = out.trim().split('\r\n').slice(1);
  assert.deepEqual(
    prices.map((line) => line.split(',')[1]),
    ['2', '1', '0'],
    out + err,
  );
});

it('health says in one line what is wrong with its address, and keeps the path of it', async () => {
  const wrong = await place.run(['health', '--url', 'localhost:8090']);
  assert.equal(wrong.code, 2);
  assert.match(
    wrong.err,
    /^vitrine: --url must begin with http:\/\/ or https:\/\/, not 'localhost:8090'[^\n]*\n$/,
  );
  const asked: string[] = [];
  const between = await standBetween(server.url, (path) => {
    asked.push(path);
    return '502';
  });
  isOneLine(await place.run(['health', '--url', `${between.url}/prefix/`]), /\/prefix\/healthz answers 502/);
  between.close();
  assert.deepEqual(asked, ['/prefix/healthz']);
});
