import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { addressOf, startChild } from './children.ts';
import { readSteps } from './docs/blocks.ts';
import { assertJson } from './docs/expect.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What belongs to a checkout and not to the repository, or is of no use for packing. */
const left = ['.git', 'node_modules', 'data', 'dist', 'lib', 'test', 'bench/results'];
/** The built console, which another test may be building at this moment; packing builds it too. */
const built = join(root, 'console/dist/files');

/** The runtime that runs this test is the one that the package is run on. */
const environment = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  VITRINE_RUNTIME: 'Bun' in globalThis ? 'bun' : 'node',
  npm_config_loglevel: 'error',
};

function run(cwd: string, ...words: readonly string[]) {
  const [program = '', ...rest] = words;
  const { status, stdout, stderr } = spawnSync(program, rest, { cwd, encoding: 'utf8', env: environment });
  return { status, output: stdout + stderr, stdout };
}

function must(cwd: string, ...words: readonly string[]): string {
  const { status, output, stdout } = run(cwd, ...words);
  assert.equal(status, 0, `${words.join(' ')}: ${output}`);
  return stdout;
}

/** `npm install`; where no registry can be reached, the same by hand from what is installed here. */
function install(app: string, tarball: string): void {
  const { status, output } = run(app, 'npm', 'install', '--prefer-offline', '--no-audit', tarball);
  if (status === 0) return;
  assert.match(output, /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ENOTCACHED|E40[1346]/, output);
  console.error(`\nNO REGISTRY COULD BE REACHED: the package was unpacked, not installed\n${output}`);
  const modules = join(app, 'node_modules');
  mkdirSync(join(modules, 'vitrine'), { recursive: true });
  must(app, 'tar', 'xzf', tarball, '--strip-components=1', '-C', join(modules, 'vitrine'));
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
}

describe('the package that npm pack makes', { timeout: 280_000 }, () => {
  let place: string;
  let app: string;
  let installed: string;
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'vitrine-pack-'));
    const checkout = join(place, 'checkout');
    cpSync(root, checkout, {
      recursive: true,
      filter: (path) =>
        !left.some((name) => path === join(root, name)) && !(path.startsWith(built) && path.endsWith('.js')),
    });
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
    const original = readFileSync(join(checkout, 'package.json'), 'utf8');
    must(checkout, 'npm', 'pack', '--pack-destination', place);
    assert.equal(readFileSync(join(checkout, 'package.json'), 'utf8'), original, 'the checkout is as it was');
    app = join(place, 'app');
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }');
    const tarball = readdirSync(place).find((name) => name.endsWith('.tgz'));
    assert.ok(tarball);
    install(app, join(place, tarball));
    installed = join(app, 'node_modules/vitrine');
  });
  after(() => rm(place, { recursive: true, force: true }));

  it('holds no source but the examples, no test and no dependency that it does not use', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      files.filter((file) => !file.startsWith('examples/') && /\.test\.|(?<!\.d)\.tsx?$/.test(file)),
      [],
    );
    const { dependencies, ...manifest } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.ok('bun' in dependencies && 'hono' in dependencies && !('preact' in dependencies));
    assert.ok(!('devDependencies' in manifest) && !('private' in manifest));
  });

  it('starts the demo as its README says, and answers as it says', async () => {
    const readme = readFileSync(join(installed, 'README.md'), 'utf8');
    const command = /`(npx vitrine serve --demo)`/.exec(readme)?.[1] ?? assert.fail('the README has no npx');
    const [program = '', ...words] = command.split(' ');
    const server = startChild(program, [...words, '--port', '0'], {
      cwd: app,
      env: environment,
      detached: true,
    });
    try {
      const url = await addressOf(server);
      const first = readSteps(readme, 'README.md').find(
        (step) => step.kind === 'commands' && step.block.text.startsWith('curl') && step.answer,
      );
      assert.ok(first?.kind === 'commands');
      const path = /'http:\/\/127\.0\.0\.1:8090([^']*)'/.exec(first.block.text)?.[1] ?? '';
      assertJson(first.answer?.text ?? '', await (await fetch(url + path)).text());
      const page = await fetch(`${url}/_console/`);
      assert.equal(page.status, 200);
      assert.match(await page.text(), /<!doctype html>/i);
    } finally {
      const closed = new Promise((resolve) => server.once('close', resolve));
      process.kill(-(server.pid as number), 'SIGTERM');
      await closed;
    }
  });

  it('gives types and code of the client, of management and of definitions', () => {
    writeFileSync(
      join(app, 'shop.ts'),
      `import { defineProject } from 'vitrine/define';
export const project = defineProject({
  id: 'shop',
  collections: [{ id: 'brands', fields: { name: { type: 'text', required: true } } }],
});\n`,
    );
    writeFileSync(
      join(app, 'use.ts'),
      `import { createClient, VitrineError } from 'vitrine/client';
import { createAdmin } from 'vitrine/client/admin';
import type { project } from './shop.ts';
const v = createClient<typeof project>('http://127.0.0.1:1', { project: 'shop', fetch: async () => Response.json({ ok: true, result: { found: [{ name: 'A' }] } }) });
const { found } = await v.brands.list();
const names: string[] = found.map(({ name }) => name);
// @ts-expect-error a name is a text
const wrong: number[] = found.map(({ name }) => name);
console.log(names[0], typeof createAdmin, new VitrineError(400, 'a: b').fields.a, wrong.length);
// What is made with it has declarations, in which everything has a name that the package gives out.
export const { auth, batch, changes, collection } = v;
export const { list, all, create, update, distinct, export: file } = v.brands;
export const identities = async () => (await v.auth.identities.list()).found;
export const untyped = createClient('', { project: 'shop' });
export const admin = createAdmin('');
export const { collections, users } = admin.project('shop');\n`,
    );
    for (const compiler of ['typescript/bin/tsc', '../test/tools/node_modules/typescript/bin/tsc']) {
      const flags =
        '--strict --target ES2024 --types --allowImportingTsExtensions --declaration --emitDeclarationOnly --outDir declared'.split(
          ' ',
        );
      for (const resolution of [['NodeNext'], ['ESNext', '--moduleResolution', 'Bundler']])
        must(
          app,
          'node',
          join(root, 'node_modules', compiler),
          ...flags,
          '--module',
          ...resolution,
          'use.ts',
        );
    }
    assert.equal(must(app, process.execPath, 'use.ts'), 'A function b 1\n');
    const applied = must(app, 'npx', 'vitrine', 'apply', 'shop.ts', '--data', join(place, 'data'));
    assert.match(applied, /collection brands/);
  });
});
