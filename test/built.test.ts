import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { modules } from '../build/modules.ts';
import { builtFolder, findBuilt, fingerprint, madeOf } from '../src/runtime/built.ts';
import { addressOf, startChild } from './children.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const bun = join(root, 'node_modules/.bin/bun');
const parts = ['src', 'client', 'console/dist', 'build', 'package.json', 'package-lock.json'];

/** Seconds since 1970. */
const written = 1_700_000_000;
const setTime = (path: string, time: number) => utimesSync(path, time, time);

/** Writes something else of the same length and time into a file, which only whoever reads it notices. */
function spoil(path: string): void {
  const { size } = statSync(path);
  writeFileSync(path, `this is no program ${'.'.repeat(size)}`.slice(0, size));
  setTime(path, written);
}

describe('the server that npm ci builds', { timeout: 200_000 }, () => {
  let place: string;
  let checkout: string;
  const version = () => spawnSync(bun, ['src/main.ts', '--version'], { cwd: checkout, encoding: 'utf8' });
  const main = () => join(checkout, 'src/command-line.ts');
  const programs = () => modules.map((module) => join(checkout, module));
  before(() => {
    place = mkdtempSync(join(tmpdir(), 'vitrine-built-'));
    checkout = join(place, 'checkout/');
    for (const part of parts)
      cpSync(join(root, part), join(checkout, part), { recursive: true, preserveTimestamps: true });
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
    for (const path of programs()) setTime(path, written);
    const { status, stdout, stderr } = spawnSync(bun, ['build/server.ts'], {
      cwd: checkout,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout + stderr);
  });
  after(() => rmSync(place, { recursive: true, force: true }));

  it('is run, threads included, in place of sources that have not changed', async () => {
    for (const path of programs()) {
      spoil(path);
      const made = relative(join(checkout, 'src'), path).replace(/ts$/, 'js');
      assert.ok(existsSync(join(builtFolder(checkout), made)), made);
    }
    const { stdout, stderr } = version();
    assert.match(stdout, /^vitrine \d/, stderr);
    const child = startChild(bun, ['src/main.ts', 'serve', '--demo', '--port', '0', '--data', place], {
      cwd: checkout,
      env: process.env,
    });
    const closed = new Promise((resolve) => child.once('close', resolve));
    const url = await addressOf(child);
    // The demo was written by the thread that writes.
    const answer = await fetch(`${url}/v1/demo/products?price>0&sort=price&include=brand`);
    assert.equal(((await answer.json()) as { result: { total: number } }).result.total, 8);
    child.kill('SIGTERM');
    assert.equal(await closed, 0);
    const backup = spawnSync(
      bun,
      ['src/main.ts', 'backup', 'demo', '--to', join(place, 'demo.db'), '--data', place],
      {
        cwd: checkout,
        encoding: 'utf8',
      },
    );
    assert.equal(backup.status, 0, backup.stdout + backup.stderr);
  });

  it('is not once a source has changed, or the checkout was moved', () => {
    spoil(main());
    assert.equal(version().status, 0);
    setTime(main(), written + 1);
    assert.notEqual(version().status, 0);
    setTime(main(), written);
    assert.equal(version().status, 0);
    renameSync(checkout, join(place, 'elsewhere'));
    checkout = join(place, 'elsewhere/');
    assert.notEqual(version().status, 0);
  });
});

it('a build is found for as long as size, time and number of the sources stay', () => {
  const place = mkdtempSync(join(tmpdir(), 'vitrine-fingerprint-'));
  const at = (path: string) => join(place, path);
  for (const folder of ['src/inner', 'client', 'console/dist', 'dist/server'])
    mkdirSync(at(folder), { recursive: true });
  const files = [
    'src/inner/a.ts',
    'client/b.ts',
    'console/dist/files.js',
    'package.json',
    'package-lock.json',
  ];
  for (const file of files) writeFileSync(at(file), file);
  assert.equal(findBuilt(place), undefined, 'nothing was built');
  if (!('Bun' in globalThis)) return; // Node runs the sources
  const build = () => writeFileSync(join(builtFolder(place), madeOf), fingerprint(place));
  build();
  assert.match(findBuilt(place) ?? '', /^file:.*\/dist\/server\/command-line\.js$/);
  for (const file of files) {
    writeFileSync(at(file), `${readFileSync(at(file), 'utf8')} `);
    assert.equal(findBuilt(place), undefined, file);
    build();
  }
  writeFileSync(at('src/inner/c.ts'), '');
  assert.equal(findBuilt(place), undefined, 'a new file');
  build();
  rmSync(at('src/inner/a.ts'));
  assert.equal(findBuilt(place), undefined, 'a file that is gone');
  rmSync(place, { recursive: true });
});
