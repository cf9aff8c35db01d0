import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { datedChangelog, releaseNotes, unreleased } from './release-notes.ts';
import { targets } from './targets.ts';

/**
 * `npm run release`: all steps of a release except those that can't be undone. It tests, dates the CHANGELOG, builds the package
 * and the executables into `dist/release` with their checksums and notes, commits and tags; then it prints what to push and
 * publish. `-- --dry-run` changes nothing: it prints obstacles, and what would be done.
 */
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
const dry = values['dry-run'];
const out = join(root, 'dist', 'release');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
const say = (text: string) => process.stdout.write(`${text}\n`);

function output(program: string, ...words: string[]): string {
  const { status, stdout } = spawnSync(program, words, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}

function run(program: string, ...words: string[]): void {
  say(`$ ${[program, ...words].join(' ')}`);
  if (dry) return;
  const { status } = spawnSync(program, words, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** What must be fixed first. */
function obstacles(): string[] {
  const found: string[] = [];
  if (output('git', 'status', '--porcelain') !== '') found.push('commit what is changed');
  if (output('git', 'rev-parse', '--abbrev-ref', 'HEAD') !== 'main') found.push('be on the branch main');
  if (output('git', 'tag', '--list', `v${version}`) !== '')
    found.push(`raise the version in package.json and package-lock.json: v${version} is tagged`);
  if (unreleased(changelog) !== version) found.push(`begin CHANGELOG.md with '## [${version}] - Unreleased'`);
  return found;
}

const found = obstacles();
for (const obstacle of found) say(`first: ${obstacle}`);
if (found.length > 0 && !dry) process.exit(1);

say(`Vitrine ${version}`);
run('npm', 'test');
if (!dry) {
  writeFileSync(join(root, 'CHANGELOG.md'), datedChangelog(changelog, new Date()));
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'NOTES.md'), releaseNotes(changelog));
}
run('npm', 'pack', '--pack-destination', out);
run('npm', 'run', 'build', '--', '--all', '--out', join(out, 'vitrine'));
const files = [
  `vitrine-${version}.tgz`,
  ...targets.map((target) => `vitrine-${target}${target.startsWith('windows') ? '.exe' : ''}`),
];
say(`SHA256SUMS of ${files.length} files`);
if (!dry) {
  const sum = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(out, name)))
      .digest('hex');
  writeFileSync(join(out, 'SHA256SUMS'), files.map((name) => `${sum(name)}  ${name}\n`).join(''));
}
run('git', 'commit', '--all', '--message', `Vitrine ${version}`);
run('git', 'tag', '--annotate', `v${version}`, '--message', `Vitrine ${version}`);
say(`
Then, by hand:
  git push origin main v${version}
  npm publish ${join('dist/release', `vitrine-${version}.tgz`)}
  docker build -f deploy/docker/Dockerfile -t vitrine:${version} .
  attach the files of dist/release to the release, with NOTES.md as its text
  keep data of this version in test/fixtures, if it has a new format: see CONTRIBUTING.md`);
