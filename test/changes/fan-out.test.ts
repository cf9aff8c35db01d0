import assert from 'node:assert/strict';
import { it } from 'node:test';
import { adminKey, startApp } from '../harness.ts';
import { followEvents, readEvents } from './events.ts';

it('tells many streams soon, and goes on with one that has not read', { timeout: 60_000 }, async () => {
  const app = await startApp();
  try {
    await app.project('p', { id: 'open', fields: { text: { type: 'content' } }, api: { access: 'public' } });
    const path = '/v1/p/_changes?after=now';
    const headers = { accept: 'text/event-stream' };
    const idle = await app.fetch(new Request(`http://vitrine.test${path}`, { headers }));
    const streams = await Promise.all(Array.from({ length: 150 }, () => followEvents(app, path)));
    const create = async (text: string) => {
      const made = await app.call('POST', '/v1/p/open', { body: { text }, token: adminKey });
      return made.body.result._id;
    };
    const first = await create('x');
    const begun = performance.now();
    for (const stream of streams) assert.equal((await stream.next()).data?._id, first);
    assert.ok(performance.now() - begun < 5_000, 'it took too long');
    for (const stream of streams) await stream.close();
    // More than is kept for a client that does not read: the rest comes from the log.
    const ids = [first];
    for (let count = 0; count < 40; count++) ids.push(await create('y'.repeat(20_000)));
    const late = readEvents(idle);
    for (const id of ids) assert.equal((await late.next()).data?._id, id);
    await late.close();
  } finally {
    await app.close();
  }
});
