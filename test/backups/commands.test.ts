import assert from 'node:assert/strict';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { key, makePlace, type Place, start } from '../commands/support.ts';
import { freshDatabase } from '../postgres-server.ts';
import { seed } from '../seed.ts';
import { testEngine } from '../storage.ts';

/** Both engines are in every test here, whichever the others run on. */
const skip = testEngine === 'postgres';

console.log(`seed ${seed}`);
let drawn = seed;
/** From 0 to count - 1, by the seed alone. */
function below(count: number): number {
  drawn = (Math.imul(drawn, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((drawn / 2 ** 32) * count);
}
let place: Place;
let file: string;
before(async () => {
  place = await makePlace();
  file = place.path('shop.backup');
  const definition = {
    id: 'shop',
    collections: [{ id: 'items', fields: { title: { type: 'text' } }, api: { access: 'public' } }],
  };
  await place.expect(0, ['apply', await place.write('shop.json', definition)]);
  const rows = Array.from({ length: 300 }, (_, n) => JSON.stringify({ title: `Item ${n}` })).join('\n');
  const records = await place.write('items.ndjson', rows);
  await place.expect(0, ['import', '--project', 'shop', '--collection', 'items', records]);
});
after(() => place.remove());

const exported = async (...words: string[]) =>
  (await place.run(['export', '--project', 'shop', '--collection', 'items', ...words])).out;

it('a data directory goes through a file to PostgreSQL, and back through another', { skip }, async () => {
  const { out } = await place.expect(0, ['backup', 'shop', '--to', file]);
  assert.match(out, /^Wrote shop to .*shop\.backup: 300 records, [\d,]+ bytes, SHA-256 [0-9a-f]{64}\n$/);
  for (const path of [file, `${file}.json`]) assert.equal((await stat(path)).mode & 0o777, 0o600);
  const { url, drop } = await freshDatabase();
  try {
    const restored = await place.run(['restore', file, '--as', 'shop', '--database', url]);
    assert.equal(restored.code, 0, restored.err);
    assert.match(restored.out, /^Restored shop in PostgreSQL at .*: 300 records, as of 20/);
    const twice = await place.run(['restore', file, '--database', url]);
    assert.match(twice.err, /there is a project 'shop' already/);
    const back = place.path('back.backup');
    const saved = await place.run(['backup', 'shop', '--to', back, '--database', url]);
    assert.equal(saved.code, 0, saved.err);
    const other = place.path('other');
    assert.equal((await place.run(['restore', back, '--data', other])).code, 0);
    assert.equal(await exported('--data', other), await exported('--data', place.data));
  } finally {
    await drop();
  }
});

it('a running server makes a file too, which it does not keep', { skip }, async () => {
  const { url, stop } = await place.serve();
  const environment = { VITRINE_ADMIN_KEY: key };
  try {
    const to = place.path('served.backup');
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const webhook = { name: 'Index', url: 'https://example.com/', collections: ['items'], kinds: ['create'] };
    const path = '/v1/_admin/projects/shop/webhooks';
    await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(webhook) });
    const made = await place.run(['backup', 'shop', '--to', to, '--url', url], { environment });
    assert.equal(made.code, 0, made.err);
    const { checksum } = JSON.parse(await readFile(`${to}.json`, 'utf8'));
    assert.ok(made.out.includes(checksum));
    const list = await fetch(`${url}/v1/_admin/backups`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(((await list.json()) as { result: { total: number } }).result.total, 0);
    const [from, again] = [place.path('from-server'), place.path('again')];
    const paused = new RegExp(`\\n1 webhook came along paused: .* PATCH ${path}/ID \\{"paused":false\\}`);
    assert.match((await place.run(['restore', to, '--data', from])).out, paused);
    assert.match((await place.run(['copy', 'shop', '--from', from, '--to', again])).out, paused);
    const busy = await place.run(['backup', 'shop', '--to', to, '--data', place.data]);
    assert.match(busy.err, /^vitrine: the data directory .* can't be used: another Vitrine/);
    const none = await place.run(['backup', 'none', '--to', to, '--url', url], { environment });
    assert.match(none.err, /^vitrine: There is no project 'none'\n$/);
  } finally {
    await stop();
  }
});

it('a file in which a bit is another is refused in a line, or has lost nothing', { skip }, async () => {
  const alone = place.path('alone.backup');
  const bytes = await readFile(file);
  const before = await exported('--data', place.data);
  await writeFile(`${alone}.json`, await readFile(`${file}.json`));
  const flip = async (at: number) => {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << below(8));
    await writeFile(alone, flipped);
  };
  await flip(below(bytes.length));
  const beside = await place.run(['restore', alone, '--data', place.path('beside')]);
  assert.equal(beside.code, 1);
  assert.match(beside.err, /^vitrine: .*alone\.backup: .*(damaged|changed)/);
  await rm(`${alone}.json`);
  for (let round = 0; round < 6; round++) {
    const at = below(bytes.length);
    await flip(at);
    const target = place.path(`flipped-${round}`);
    const { code, err } = await place.run(['restore', alone, '--data', target]);
    if (code === 0) assert.equal(await exported('--data', target), before, `byte ${at}`);
    else assert.match(err, /^vitrine: .*alone\.backup: [^\n]*\n$/, `byte ${at}`);
  }
});

it('a file in which a setting of the project has another bit is refused, also without its manifest', {
  skip,
}, async () => {
  const alone = place.path('settings.backup');
  const bytes = await readFile(file);
  for (const setting of ['registration', 'onUserDelete', '"totp"']) {
    const at = bytes.indexOf(setting) + 3;
    assert.ok(at > 3, setting);
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    await writeFile(alone, flipped);
    const { code, err } = await place.run(['restore', alone, '--data', place.path('settings')]);
    assert.equal(code, 1, setting);
    assert.match(err, /^vitrine: .*settings\.backup: .*its label was changed/);
  }
});

it('Ctrl-C leaves the file of before and no draft, also without a server', { skip }, async () => {
  const to = place.path('stopped.backup');
  await place.expect(0, ['backup', 'shop', '--to', to]);
  const before = await readFile(to);
  // For as long as it has the file, the backup waits.
  const connection = (await loadRuntime()).sqlite.open(join(place.data, 'projects/shop.db'));
  connection.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  const own = async () => (await readdir(place.directory)).filter((name) => name.startsWith('stopped'));
  const child = start(['backup', 'shop', '--to', to, '--data', place.data]);
  const ended = new Promise((resolve) => child.once('close', resolve));
  const said: string[] = [];
  const heard = new Promise<void>((resolve) => {
    child.stderr.on('data', (part: Buffer) => resolve(void said.push(String(part))));
  });
  while ((await own()).length < 3) await sleep(10);
  child.kill('SIGINT');
  await heard;
  connection.close();
  assert.equal(await ended, 1);
  assert.match(said.join(''), /^(What was begun is being removed\n)?vitrine: it was stopped\n$/);
  assert.deepEqual(await own(), ['stopped.backup', 'stopped.backup.json']);
  assert.deepEqual(await readFile(to), before);
});

it('what is no backup is one line too', async () => {
  const odd = await place.write('odd.txt', 'nothing of the kind');
  for (const [words, message] of [
    [['restore', odd], /odd\.txt: The backup can't be used, as its file is damaged or not a backup/],
    [['restore', place.path('none')], /none: there is no such file/],
    [['restore', place.directory], /: is a folder, not a file/],
    [['restore', '/dev/null'], /\/dev\/null: is a device or a pipe: save it to a file first/],
    [['restore', file, '--as', 'Not so'], /--as /],
    [['backup', 'shop'], /--to is missing/],
    [['backup', 'none', '--to', place.path('x')], /there is no project 'none'/],
    [['backup', 'shop', '--to', place.path('no/such/folder')], /folder: there is no such file or folder/],
  ] as const) {
    const { code, err } = await place.run([...words, '--data', place.data]);
    assert.notEqual(code, 0);
    assert.match(err, message);
    assert.equal(err.split('\n').length, 2, err);
  }
});

it('an address of a bucket in place of a file is told so', async () => {
  const saved = await place.run(['backup', 'shop', '--to', 's3://kept/shop.db']);
  assert.equal(saved.code, 2);
  assert.match(
    saved.err,
    /--to must be a file on this machine, to be copied to the bucket\. A server .*--backup-to/,
  );
  const restored = await place.run(['restore', 's3://kept/shop.db']);
  assert.equal(restored.code, 2);
  assert.match(restored.err, /FILE must be a file on this machine: download it first/);
});
