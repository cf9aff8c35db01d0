import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readSteps } from './docs/blocks.ts';
import { assertHttp, assertJson, assertText } from './docs/expect.ts';
import { root, World } from './docs/world.ts';

/** The front page and all of the reference, each followed on its own, against a server of its own. */
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root }).sort()].map((path) => {
  const markdown = readFileSync(join(root, path), 'utf8');
  return { path, markdown, steps: isFollowed(path) ? readSteps(markdown, path) : [] };
});

/** Pages about machines that a test has not got are checked in a test of their own. */
function isFollowed(path: string): boolean {
  return !['docs/from-one-machine-to-many.md', 'docs/deploying.md'].includes(path);
}

/** Fewer means that examples went missing, or that the test does not find them any more. */
const fewest = 85;
let run = 0;

for (const { path, markdown, steps } of pages) {
  if (steps.length === 0) continue;
  describe(`every example of ${path}, in its order`, () => {
    let world: World;
    before(async () => {
      world = await World.start(markdown);
    });
    after(() => world.stop());

    for (const step of steps) {
      const { heading, line, text } = step.block;
      const what = step.kind === 'file' ? step.name : (text.split('\n')[0] ?? '');
      it(`${path}:${line} ${heading}: ${what}`, { timeout: 280_000 }, async () => {
        run += await world.follow(step);
      });
    }
  });
}

describe('the documentation', () => {
  it(`has at least ${fewest} commands, which were run`, () => {
    assert.ok(run >= fewest, `${run} were run`);
    console.log(`documentation: ${run} commands were run`);
  });

  it('has a front page of at most 200 lines', () => {
    const lines = pages[0]?.markdown.split('\n').length ?? 0;
    assert.ok(lines <= 200, `${lines} lines`);
  });

  it('has every page in its index', () => {
    const index = readFileSync(join(root, 'docs/README.md'), 'utf8');
    for (const { path } of pages.slice(1)) {
      if (path !== 'docs/README.md') assert.ok(index.includes(`](${path.slice('docs/'.length)})`), path);
    }
  });

  it('has TypeScript that the compiler takes', { timeout: 280_000 }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'vitrine-docs-types-'));
    const compilerOptions = {
      ...JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).compilerOptions,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      paths: {
        'vitrine/define': [join(root, 'src/define.ts')],
        'vitrine/client': [join(root, 'client/client.ts')],
        'vitrine/client/admin': [join(root, 'client/admin.ts')],
      },
    };
    const files = pages
      .flatMap(({ steps }) => steps)
      .flatMap((step) => (step.kind === 'file' && step.name.endsWith('.ts') ? [step] : []));
    assert.ok(files.length > 0);
    for (const { name, block } of files) await writeFile(join(directory, name), block.text);
    await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
    await writeFile(
      join(directory, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: files.map(({ name }) => name) }),
    );
    const compiler = join(root, 'node_modules/.bin/tsc');
    const { status, stdout } = spawnSync(compiler, ['-p', directory], { encoding: 'utf8' });
    await rm(directory, { recursive: true });
    assert.equal(status, 0, stdout);
  });

  it('names every dependency, and none that is not there', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const tools = JSON.parse(readFileSync(join(root, 'test/tools/package.json'), 'utf8')).devDependencies;
    const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
    const named = [...page.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
    assert.deepEqual(named.sort(), Object.keys({ ...dependencies, ...devDependencies, ...tools }).sort());
  });

  it('has links that lead somewhere', () => {
    for (const { path, markdown } of pages) {
      for (const [, to = ''] of markdown.matchAll(/\]\(([^)]*)\)/g)) {
        if (/^[a-z]+:/.test(to)) continue;
        const [file = '', anchor] = to.split('#');
        const target = file === '' ? path : join(dirname(path), file);
        const text = readFileSync(join(root, target), 'utf8');
        if (anchor !== undefined) assert.ok(anchorsOf(text).includes(anchor), `${path}: ${to}`);
      }
    }
  });

  it('names every flag of serve', () => {
    const { stdout } = spawnSync(process.execPath, [join(root, 'src/main.ts'), 'serve', '--help'], {
      encoding: 'utf8',
    });
    const page = readFileSync(join(root, 'docs/running.md'), 'utf8');
    for (const [flag] of stdout.matchAll(/--[a-z-]+/g)) assert.ok(page.includes(`\`${flag}\``), flag);
  });
});

function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('the comparison with an answer', () => {
  const answer =
    '{"ok":true,"result":{"total":2,"found":[{"_id":"a1","tags":["x"]},{"_id":"a2","tags":[]}]}}';

  it('takes … for a value, a part of a text, and the rest', () => {
    for (const expected of [
      answer,
      '{ "ok": true, "result": … }',
      '{ "ok": true, "result": { "found": [{ "_id": "a…", … }, …], … } }',
      '{ "ok": …, "result": { "total": "…", "found": [{ "_id": "…", "tags": ["x"] }, { "_id": "…2", "tags": [] }] } }',
    ]) {
      assertJson(expected, answer);
    }
  });

  it('finds every other difference', () => {
    for (const expected of [
      '{ "ok": false, "result": … }',
      '{ "ok": true }',
      '{ "ok": true, "result": { "total": 3, … } }',
      '{ "ok": true, "result": { "total": "2", … } }',
      '{ "ok": true, "result": { "count": 2, … } }',
      '{ "ok": true, "result": { "total": 2, "found": [{ "_id": "a1", … }] } }',
      '{ "ok": true, "result": { "total": 2, "found": [{ "_id": "b…", … }, …] } }',
    ]) {
      assert.throws(() => assertJson(expected, answer), assert.AssertionError, expected);
    }
    assert.throws(() => assertText('a,…\nb', 'a,1\nc'), assert.AssertionError);
    const response = new Response('{}', { status: 201, headers: { etag: '"x"' } });
    assertHttp('HTTP/1.1 201 Created\nETag: "…"\n\n{}', response, '{}');
    for (const head of [
      'HTTP/1.1 200 OK',
      'HTTP/1.1 201 Created\nETag: "y"',
      'HTTP/1.1 201 Created\nAllow: GET',
    ]) {
      assert.throws(() => assertHttp(`${head}\n\n{}`, response, '{}'), assert.AssertionError, head);
    }
  });
});
