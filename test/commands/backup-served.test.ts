import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, open, readdir, readFile, stat } from 'node:fs/promises';
import { after, before, it } from 'node:test';
import packageJson from '../../package.json' with { type: 'json' };
import { writeBytes } from '../../src/commands/terminal/write-bytes.ts';
import { type Fate, standBetween } from './in-between.ts';
import { key, makePlace, type Place, start } from './support.ts';

const shop = { id: 'shop', collections: [{ id: 'items', fields: { title: { type: 'text' } } }] };
const environment = { VITRINE_ADMIN_KEY: key };

let place: Place;
let server: { url: string; stop(): Promise<void> };
before(async () => {
  place = await makePlace();
  await place.expect(0, ['apply', await place.write('shop.json', shop)]);
  const rows = await place.write('rows.ndjson', '{"title":"a"}\n'.repeat(3));
  await place.expect(0, ['import', '--project', 'shop', '--collection', 'items', rows]);
  server = await place.serve();
});
after(async () => {
  await server.stop();
  await place.remove();
});

const backUp = (to: string, url = server.url) =>
  place.run(['backup', 'shop', '--to', to, '--url', url], { environment });

async function kept(): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${server.url}/v1/_admin/backups`, { headers });
  return ((await answer.json()) as { result: { total: number } }).result.total;
}

it('a manifest says what was found in the file: versions, counts and when it was checked', async () => {
  const to = place.path('whole.backup');
  const { code, err } = await backUp(to);
  assert.equal(code, 0, err);
  const manifest = JSON.parse(await readFile(`${to}.json`, 'utf8'));
  assert.equal(manifest.vitrine, packageJson.version);
  assert.equal(manifest.records, 3);
  assert.equal(manifest.counts['records of items'], 3);
  assert.equal(typeof manifest.format, 'number');
  assert.match(manifest.verifiedAt, /^20/);
  const local = place.path('local.backup');
  await server.stop();
  await place.expect(0, ['backup', 'shop', '--to', local]);
  server = await place.serve();
  const other = JSON.parse(await readFile(`${local}.json`, 'utf8'));
  assert.deepEqual(Object.keys(manifest), Object.keys(other));
});

it('a file that can not be written leaves no backup on the server', async () => {
  const folder = place.path('folder');
  await mkdir(folder);
  for (const to of [place.path('no/such/folder'), folder]) {
    const { code, err } = await backUp(to);
    assert.equal(code, 1);
    assert.match(err, /folder: (there is no such file or folder|is a folder, not a file)\n$/);
    assert.equal(await kept(), 0);
  }
});

it('a transfer that breaks off leaves the file of before, no draft, and no backup on the server', async () => {
  const to = place.path('broken.backup');
  assert.equal((await backUp(to)).code, 0);
  const before = await readFile(to);
  for (const fate of ['half an answer', '502', 'no answer'] as const) {
    const between = await standBetween(server.url, (path): Fate => (path.endsWith('/file') ? fate : 'pass'));
    const { code, err } = await backUp(to, between.url);
    between.close();
    assert.equal(code, 1);
    assert.match(err, /^vitrine: [^\n]*\n$/);
    assert.equal(await kept(), 0);
  }
  assert.deepEqual(await readFile(to), before);
  assert.deepEqual(
    (await readdir(place.directory)).filter((name) => name.startsWith('broken')),
    ['broken.backup', 'broken.backup.json'],
  );
});

for (const [what, path] of [
  ['is fetched', '/file'],
  ['is made', '/backups'],
] as const) {
  it(`Ctrl-C while it ${what} leaves no backup on the server, and the file of before`, async () => {
    const to = place.path('stopped.backup');
    assert.equal((await backUp(to)).code, 0);
    const before = await readFile(to);
    const asked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const between = await standBetween(server.url, async (url): Promise<Fate> => {
      if (!url.endsWith(path)) return 'pass';
      asked.resolve();
      await goOn.promise;
      return 'pass';
    });
    const child = start(['backup', 'shop', '--to', to, '--url', between.url], { environment });
    const ended = new Promise((resolve) => child.once('close', resolve));
    let err = '';
    child.stderr.on('data', (part: Buffer) => (err += part));
    await asked.promise;
    child.kill('SIGINT');
    if (path === '/backups') setTimeout(goOn.resolve, 300);
    assert.equal(await ended, 1);
    goOn.resolve();
    between.close();
    assert.match(err, /\nvitrine: it was stopped\n$/);
    assert.equal(await kept(), 0);
    assert.deepEqual(await readFile(to), before);
    const left = (await readdir(place.directory)).filter((name) => name.startsWith('stopped'));
    assert.deepEqual(left, ['stopped.backup', 'stopped.backup.json']);
  });
}

it('a pipe or a device is not replaced by a file', async () => {
  const pipe = place.path('pipe');
  spawnSync('mkfifo', [pipe]);
  const { code, err } = await backUp(pipe);
  assert.equal(code, 1);
  assert.match(err, /pipe: is a device or a pipe, not a file\n$/);
  assert.ok((await stat(pipe)).isFIFO());
});

it('a file beside it that is no manifest is not replaced by one', async () => {
  const definition = place.path('pulled.json');
  const pulled = await place.run(['pull', '--project', 'shop', '--out', definition, '--url', server.url], {
    environment,
  });
  assert.equal(pulled.code, 0, pulled.err);
  const before = await readFile(definition, 'utf8');
  const { code, err } = await backUp(place.path('pulled'));
  assert.equal(code, 1);
  assert.match(err, /pulled\.json: is there, and is not the manifest of a backup/);
  assert.equal(await readFile(definition, 'utf8'), before);
  assert.equal(await kept(), 0);
});

it('bytes are written to the last one, where a call writes only some', async () => {
  const path = place.path('bytes');
  const file = await open(path, 'w');
  const short = {
    write: (bytes: Uint8Array, from: number, length: number) => file.write(bytes, from, Math.min(length, 3)),
  };
  await writeBytes(short as unknown as typeof file, Buffer.from('0123456789'));
  await file.close();
  assert.equal(await readFile(path, 'utf8'), '0123456789');
});
