import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startChild } from './children.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** `npm run build`, tried where nothing of the checkout can be found. */
describe('the single executable', () => {
  let directory: string;
  let vitrine: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vitrine-executable-'));
    vitrine = join(directory, 'vitrine');
    const bun = join(root, 'node_modules/.bin/bun');
    const built = spawnSync(bun, ['build/executable.ts', '--out', vitrine], { cwd: root, encoding: 'utf8' });
    assert.equal(built.status, 0, built.stderr);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('says its version and has all commands', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const run = (...args: string[]) =>
      spawnSync(vitrine, args, { cwd: directory, encoding: 'utf8', env: {} }).stdout;
    assert.equal(run('--version'), `vitrine ${version}\n`);
    for (const name of ['serve', 'apply', 'import', 'copy'])
      assert.match(run('help'), new RegExp(`^  ${name} `, 'm'));
  });

  for (const workers of ['1', '2']) {
    it(`serves records, sign-ups and the console, with ${workers} of its processes`, {
      timeout: 60_000,
    }, async () => {
      const flags = ['serve', '--demo', '--port', '0', '--workers', workers, '--data', `data-${workers}`];
      const child = startChild(vitrine, flags, { cwd: directory, env: {} });
      const url = await new Promise<string>((resolve, reject) => {
        let output = '';
        const take = (part: Buffer) => {
          output += part;
          const found = /Vitrine is at (http:\S+)/.exec(output)?.[1];
          if (found) resolve(found);
        };
        child.stdout.on('data', take);
        child.stderr.on('data', take);
        child.once('close', () => reject(new Error(output)));
      });
      const page = await fetch(`${url}/v1/demo/products?include=brand`);
      assert.equal(((await page.json()) as { result: { total: number } }).result.total, 8);
      const signUp = await fetch(`${url}/v1/demo/_auth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'ann@example.com', password: 'correct horse' }),
      });
      assert.equal(signUp.status, 201, await signUp.text());
      const shown = await (await fetch(`${url}/_console/`)).text();
      const [, script = ''] = /src="([^"]+)"/.exec(shown) ?? [];
      assert.equal((await fetch(new URL(script, `${url}/_console/`))).status, 200, shown);
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      assert.equal(await closed, 0);
    });
  }
});
