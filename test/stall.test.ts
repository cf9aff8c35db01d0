import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../src/model/json.ts';
import { type Reply, startApp, type TestApp } from './harness.ts';

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** Requests that are cheap to send and must be cheap to refuse: each once held the server for seconds. */
describe('a hostile request does not stall the server', () => {
  let app: TestApp;
  let id = '';
  before(async () => {
    app = await startApp();
    const wide = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [
        `a_field_with_a_rather_long_name_${index}`,
        { type: 'text' },
      ]),
    );
    await app.project(
      'p',
      { id: 'wide', fields: wide, api: { access: 'public' } },
      { id: 'notes', fields: { body: { type: 'content' } }, api: { access: 'public' } },
    );
    id = String((await app.call('POST', '/v1/p/notes', { body: {} })).body.result._id);
  });
  after(() => app.close());

  /** Milliseconds of processor time, which others who use the machine do not add to. */
  const swift = async (most: number, request: () => Promise<Reply>, status: number) => {
    const start = process.cpuUsage();
    const reply = await request();
    const { user, system } = process.cpuUsage(start);
    const took = (user + system) / 1_000;
    assert.equal(reply.status, status, reply.text.slice(0, 300));
    assert.ok(took < most, `took ${Math.round(took)} ms`);
    return reply;
  };

  it('a batch of millions of nothings', async () => {
    const many = (item: Json) => Array.from({ length: 1_000_000 }, () => item);
    const send = (path: string, body: Json) => () => app.call('POST', path, { body });
    await swift(1_500, send('/v1/p/_batch', { operations: many(0) }), 400);
    await swift(1_500, send('/v1/p/notes/batch', { delete: many('') }), 400);
    await swift(1_500, send('/v1/p/notes/batch', { create: many(1), nonsense: many(2) }), 400);
  });

  it('a body of nothing but mistakes, which are not all noted', async () => {
    const fields = { sizes: { type: 'list', of: { type: 'number' } } };
    await app.project('m', { id: 'lists', fields, api: { access: 'public' } });
    const send = (path: string, body: Json) => () => app.call('POST', `/v1/m/${path}`, { body });
    const wrong = { sizes: Array.from({ length: 10_000 }, () => 'a') };
    const create = Array.from({ length: 380 }, () => wrong);
    const reply = await swift(2_500, send('lists/batch', { create }), 400);
    assert.equal(reply.body.error.split('; ').length, 101);
    const keys = Array.from({ length: 1_400_000 }, (_, index) => `"${index.toString(36)}":1`).join(',');
    for (const body of [`{"create":[{${keys}}]}`, `{"update":[{"_id":"x",${keys}}]}`, `{${keys}}`]) {
      const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
      const refused = await swift(
        1_500,
        async () => replyOf(await app.fetch(new Request('http://vitrine.test/v1/m/lists/batch', init))),
        400,
      );
      assert.match(refused.body.error, /more than 20000 different keys/);
    }
  });

  it('thousands of unknown names, beside long ones', async () => {
    const body = Object.fromEntries(
      Array.from({ length: 15_000 }, (_, index) => [`a_field_with_name_${index}`, 1]),
    );
    const reply = await swift(1_500, () => app.call('POST', '/v1/p/wide', { body }), 400);
    assert.match(reply.body.error, /; and more$/);
    const query = Array.from({ length: 250 }, (_, index) => `a_field_with_a_rather_long_nam_${index}=1`).join(
      '&',
    );
    await swift(1_500, () => app.call('GET', `/v1/p/wide?${query}`), 400);
  });

  it('a header of tags with a great many blanks', async () => {
    const headers = { 'if-none-match': `"a"${' '.repeat(60_000)}x` };
    await swift(500, () => app.call('GET', `/v1/p/notes/${id}`, { headers }), 400);
    await swift(
      500,
      () => app.call('DELETE', '/v1/p/notes/none', { headers: { 'if-match': `"a"${','.repeat(4_000)}x` } }),
      400,
    );
  });

  it('a text of half a million different words is found, and holds up nobody while it is indexed', async () => {
    const body = Array.from({ length: 60_000 }, (_, index) => `w${(index * 7_919).toString(36)}`).join(' ');
    await app.call('POST', '/v1/p/notes', { body: { body: `${body} needle` } });
    let worst = 0;
    for (let turn = 0, last = process.cpuUsage(); turn < 60; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const { user, system } = process.cpuUsage(last);
      worst = Math.max(worst, (user + system) / 1_000);
      last = process.cpuUsage();
    }
    assert.ok(worst < 500, `the process was busy for ${Math.round(worst)} ms`);
    assert.equal((await app.call('GET', '/v1/p/notes?search=needle')).body.result.total, 1);
  });

  it("filters can't ask distinct about fields it is not open for", async () => {
    const api = { access: 'user', methods: { distinct: { access: 'public', fields: ['brand'] } } };
    const fields = { brand: { type: 'text' }, salary: { type: 'number' }, note: { type: 'text' } };
    await app.project('q', { id: 'people', fields, api });
    const ask = (query: string) => app.call('GET', `/v1/q/people/distinct?fields=brand${query}`);
    assert.equal((await ask('')).status, 200);
    assert.equal((await ask('&brand=acme')).status, 200);
    assert.equal((await ask('&salary>=1000')).status, 403);
    assert.equal((await ask('&search=hunter2')).status, 403);
  });
});
