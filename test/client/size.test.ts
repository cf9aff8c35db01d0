import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('../..', import.meta.url));
const most = 6_000;

it(`vitrine/client has at most ${most} bytes, bundled, minified and gzipped`, { timeout: 280_000 }, () => {
  const bun = join(root, 'node_modules/.bin/bun');
  const words = ['build', '--minify', '--format=esm', '--target=browser', join(root, 'client/client.ts')];
  const { status, stdout, stderr } = spawnSync(bun, words);
  assert.equal(status, 0, stderr.toString());
  const { length } = gzipSync(stdout, { level: 9 });
  console.log(`client: ${stdout.length} bytes, ${length} gzipped`);
  assert.ok(length <= most, `${length} bytes`);
});
