import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createApp } from '../../examples/server/app.ts';
import { startChild } from '../children.ts';
import { root, startLibrary } from './world.ts';

describe('examples on a server', { timeout: 280_000 }, () => {
  let library: Awaited<ReturnType<typeof startLibrary>>;
  before(async () => {
    library = await startLibrary();
  });
  after(() => library.stop());

  it('pages made on a server keep the sign-in in a cookie', async () => {
    const app = createApp(library.url);
    let cookie = '';
    const visit = async (path: string, form?: Record<string, string>) => {
      const response = await app.request(path, {
        headers: { cookie },
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      });
      const set = response.headers.get('set-cookie');
      if (set) {
        assert.match(set, /; HttpOnly; SameSite=Lax; Secure$/);
        cookie = set.split(';')[0] ?? '';
      }
      return { status: response.status, text: await response.text() };
    };
    const ann = { email: 'ann@example.com', password: 'correct horse' };
    assert.match((await visit('/')).text, /Sign in/);
    assert.equal((await visit('/login', ann)).status, 401);
    assert.equal((await visit('/register', ann)).status, 303);
    assert.match((await visit('/')).text, /Signed in as ann@example\.com/);
    assert.equal((await visit('/wishes', { title: '<b>Emma</b>' })).status, 303);
    assert.match((await visit('/')).text, /<li>&lt;b&gt;Emma&lt;\/b&gt;<\/li>/);
    const refused = await visit('/wishes', { title: '' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /title: is required/);
    const signedIn = cookie;
    assert.equal((await visit('/logout', {})).status, 303);
    assert.match((await visit('/')).text, /Sign in/);
    // The cookie of a sign-in that was ended is of no use, and goes.
    cookie = signedIn;
    assert.equal((await visit('/')).status, 401);
    assert.match((await visit('/')).text, /Sign in/);
    const [code = ''] = await library.addFactor(ann);
    const half = await visit('/login', ann);
    assert.equal(half.status, 200);
    const [, factorToken = ''] = /name="factorToken" value="([^"]+)"/.exec(half.text) ?? [];
    assert.equal((await visit('/factor', { factorToken, code: '000000' })).status, 401);
    assert.match((await visit('/')).text, /Sign in/);
    assert.equal((await visit('/factor', { factorToken, code })).status, 303);
    assert.match((await visit('/')).text, /Signed in as ann@example\.com/);
  });

  it('a script with a server key moves books in batches', async () => {
    const { key } = await library.admin.project('library').keys.create({ name: 'script' });
    await library.records.books.batch((b) => {
      for (let index = 0; index < 1000; index++)
        b.create({ title: `Book ${index}`, year: 1900 + (index % 100) });
    });
    const env = { ...process.env, VITRINE_URL: library.url, VITRINE_KEY: key };
    const run = async (environment: Record<string, string | undefined>) => {
      const script = join(root, 'examples/script/classics.ts');
      const child = startChild(process.execPath, [script, '1950'], { env: environment });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (part: Buffer) => (output += part));
      const code = await new Promise((resolve) => child.once('close', resolve));
      return { code, output };
    };
    assert.deepEqual(await run(env), { code: 0, output: '500 books moved\n' });
    assert.deepEqual(await run(env), { code: 0, output: '0 books moved\n' });
    assert.equal((await library.records.books.list({ where: { shelf: 'classic' } })).total, 500);
    const { code, output } = await run({ ...env, VITRINE_KEY: 'vk_wrong' });
    assert.equal(code, 1);
    assert.match(output, /^0 books moved, then: /);
  });

  it('a copy in a file stays in step, over restarts of the program', async () => {
    const { key } = await library.admin.project('library').keys.create({ name: 'copy', access: 'read' });
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-copy-'));
    const file = join(folder, 'books.json');
    const env = { ...process.env, VITRINE_URL: library.url, VITRINE_KEY: key };
    const start = () => startChild(process.execPath, [join(root, 'examples/copy/copy.ts'), file], { env });
    const isInStep = async () => {
      const books: { _id: string }[] = [];
      for await (const book of library.records.books.all({ perPage: 1000 })) books.push(book);
      for (let tries = 0; tries < 4_000; tries++) {
        const copy = await readFile(file, 'utf8').then(
          (text) => JSON.parse(text).books,
          () => [],
        );
        const byId = (all: { _id: string }[]) => new Map(all.map((book) => [book._id, book]));
        if (isDeepStrictEqual(byId(copy), byId(books))) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      assert.fail('the copy is not what the server has');
    };
    const { books } = library.records;
    let child = start();
    const stop = async () => {
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      await closed;
    };
    const emma = await books.create({ title: 'Emma' });
    await isInStep();
    await books.update(emma._id, { year: 1815 });
    await isInStep();
    await stop();
    await books.update(emma._id, { shelf: 'classic' });
    const gone = await books.create({ title: 'Gone again' });
    await books.delete(gone._id);
    child = start();
    await isInStep();
    const definition = await library.admin.project('library').collections.view('books');
    const fields = { ...definition.fields, pages: { type: 'number' } } as const;
    await library.admin.project('library').collections.change('books', { ...definition, fields });
    await isInStep();
    await stop();
    await rm(folder, { recursive: true });
  });
});
