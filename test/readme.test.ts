import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readSteps } from './readme/blocks.ts';
import { assertHttp, assertJson, assertText } from './readme/expect.ts';
import { root, World } from './readme/world.ts';

const markdown = readFileSync(join(root, 'README.md'), 'utf8');
const steps = readSteps(markdown);

/** Fewer means that examples went missing, or that the test does not find them any more. */
const fewest = 74;

describe('every example of the README, in its order', () => {
  let world: World;
  let run = 0;
  before(async () => {
    world = await World.start(markdown);
  });
  after(() => world.stop());

  for (const step of steps) {
    const { heading, line, text } = step.block;
    const what = step.kind === 'file' ? step.name : (text.split('\n')[0] ?? '');
    it(`README.md:${line} ${heading}: ${what}`, { timeout: 30_000 }, async () => {
      run += await world.follow(step);
    });
  }

  it(`at least ${fewest} commands were run`, () => {
    assert.ok(run >= fewest, `${run} were run`);
    console.log(`readme: ${run} commands were run`);
  });
});

describe('the README', () => {
  it('has TypeScript that the compiler takes', { timeout: 60_000 }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'vitrine-readme-types-'));
    const compilerOptions = {
      ...JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).compilerOptions,
      types: [],
      paths: { 'vitrine/define': [join(root, 'src/define.ts')] },
    };
    const files = steps.flatMap((step) => (step.kind === 'file' && step.name.endsWith('.ts') ? [step] : []));
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
    const section = /\n## Dependencies\n(.*?)\n## /s.exec(markdown)?.[1] ?? '';
    const named = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
    assert.deepEqual(named.sort(), Object.keys({ ...dependencies, ...devDependencies }).sort());
  });

  it('has links that lead somewhere', () => {
    const headings = [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
      text
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const [, anchor = ''] of markdown.matchAll(/\]\(#([^)]*)\)/g)) {
      assert.ok(headings.includes(anchor), `#${anchor}`);
    }
    for (const [, path = ''] of markdown.matchAll(/\]\(([\w./-]+)\)/g)) readFileSync(join(root, path));
  });

  it('names every flag of serve', () => {
    const { stdout } = spawnSync(process.execPath, [join(root, 'src/main.ts'), 'serve', '--help'], {
      encoding: 'utf8',
    });
    for (const [flag] of stdout.matchAll(/--[a-z-]+/g)) assert.ok(markdown.includes(`\`${flag}\``), flag);
  });
});

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
