import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { datedChangelog, releaseNotes, unreleased } from '../build/release-notes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string) => readFileSync(join(root, name), 'utf8');

it('the changelog, package.json and package-lock.json are of one version', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  assert.equal((JSON.parse(read('package-lock.json')) as { version: string }).version, version);
  const changelog = read('CHANGELOG.md');
  assert.match(changelog, new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - `, 'm'));
  assert.ok(releaseNotes(changelog).length > 1_000);
});

it('a release dates its heading and takes what is below as its notes', () => {
  const changelog = '# Changelog\n\n## [1.2.0] - Unreleased\n\nNew.\n\n## [1.1.0] - 2026-01-01\n\nOld.\n';
  assert.equal(unreleased(changelog), '1.2.0');
  const dated = datedChangelog(changelog, new Date(Date.UTC(2026, 1, 3)));
  assert.match(dated, /^## \[1\.2\.0\] - 2026-02-03$/m);
  assert.equal(unreleased(dated), undefined);
  assert.equal(releaseNotes(dated), 'New.\n');
});

it('npm run release -- --dry-run says what would be done and changes nothing', () => {
  const before = spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).stdout;
  const bun = join(root, 'node_modules/.bin/bun');
  const { status, stdout } = spawnSync(bun, ['build/release.ts', '--dry-run'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout);
  for (const step of ['npm test', 'npm pack', '--all', 'SHA256SUMS', 'git tag', 'npm publish'])
    assert.ok(stdout.includes(step), step);
  assert.equal(spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).stdout, before);
});
