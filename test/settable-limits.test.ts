import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Server } from './changes/server.ts';
import { type NamedStorage, startStorage } from './storage.ts';

/** Limits that flags of `vitrine serve` set, in whichever thread they hold. */

describe('with flags for limits', { skip: process.platform !== 'linux' }, () => {
  let storage: NamedStorage;
  let server: Server;
  before(async () => {
    storage = await startStorage();
    server = await Server.start(storage, '--answer-limit', '4096', '--streams-at-once', '1');
    await server.fill();
    const fields = { to: { type: 'relation', to: 'open', kind: 'single' }, name: { type: 'text' } };
    const definition = { id: 'links', fields, api: { access: 'public' } };
    await server.send('POST', '/v1/_admin/projects/p/collections', definition);
    for (let n = 0; n < 8; n++) {
      const to = await server.create(`${n}`.repeat(600));
      await server.send('POST', '/v1/p/links', { to, name: `${n}`.repeat(200) });
    }
  });
  after(async () => {
    await server.end();
    await storage.remove();
  });

  const ask = async (path: string, body?: object) => {
    const answer = await fetch(`${server.base}/v1/p/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', connection: 'close' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const refused = async (path: string, message: RegExp, body?: object) => {
    const { status, text } = await ask(path, body);
    assert.equal(status, 400, text);
    assert.match(text, message);
  };

  it('pages, what they include, distinct and batches are as large as that, and no larger', async () => {
    assert.equal((await ask('open?perPage=3')).status, 200);
    await refused('open?perPage=8', /more than 4096 bytes: ask for fewer records/);
    assert.equal((await ask('links?perPage=1&include=to')).status, 200);
    await refused('links?perPage=2&include=to', /included records would have more than 1024 bytes/);
    assert.equal((await ask('links/distinct?fields=name&name=0')).status, 200);
    await refused('links/distinct?fields=name', /would have more than 1024 bytes/);
    const create = Array.from({ length: 8 }, () => ({ text: 'x'.repeat(600) }));
    assert.equal((await ask('open/batch', { create: create.slice(0, 3) })).status, 200);
    await refused('open/batch', /more than 4096 bytes: send fewer operations/, { create });
  });

  it('a page after a cursor ends early where it would include more, and the walk goes on', async () => {
    const names: string[] = [];
    for (let next = ''; next !== null; ) {
      const { status, text } = await ask(`links?perPage=5&include=to&after=${next}`);
      assert.equal(status, 200, text);
      const { result } = JSON.parse(text);
      assert.deepEqual(
        result._include.to.map(({ _id }: { _id: string }) => _id).sort(),
        result.found.map(({ to }: { to: string }) => to).sort(),
      );
      for (const { name } of result.found) names.push(name[0]);
      next = result.next;
    }
    assert.equal(names.join(''), '01234567');
  });

  it('a caller has as many streams at once, an address four times as many', async () => {
    const streams = [];
    while (streams.length < 4) streams.push(await server.follow('now'));
    let isOpen = false;
    const fifth = server.follow('now').finally(() => {
      isOpen = true;
    });
    assert.equal((await ask('open?perPage=1')).status, 200);
    assert.ok(!isOpen, 'it waits');
    await streams[0]?.close();
    for (const stream of [await fifth, ...streams.slice(1)]) await stream.close();
  });
});
