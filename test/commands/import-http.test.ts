import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { after, before, it } from 'node:test';
import { promisify } from 'node:util';
import { key, listed, makePlace, type Place } from './support.ts';

const shop = {
  id: 'shop',
  collections: [{ id: 'items', fields: { title: { type: 'text', required: true } } }],
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

it('of a named pipe, which can be read once, imports what is in it', async () => {
  const pipe = place.path('pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const written = writeFile(pipe, ndjson(0, 3));
  const { code, out, err } = await place.run(words(pipe), { environment });
  await written;
  assert.equal(code, 0, err);
  assert.match(out, /^Imported 3 records /);
  assert.equal((await listed(server.url, 'shop/items')).length, 3);
});
