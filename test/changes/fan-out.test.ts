import assert from 'node:assert/strict';
import { it } from 'node:test';
import { adminKey, startApp } from '../harness.ts';
import { makeCrowd } from './crowd.ts';
import { followEvents, readEvents } from './events.ts';

/** Streams of as many users. */
const streams = Number(process.env.VITRINE_STREAMS ?? 100);

it('tells many streams soon, and goes on with one that has not read', { timeout: 600_000 }, async () => {
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
    // Before the next sign of life, of which each has its own second among twenty.
    const begun = performance.now();
    for (const stream of streams) assert.equal((await stream.next()).data?._id, first);
    assert.ok(performance.now() - begun < 15_000, 'it took too long');
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

it('reads what is public once for however many users, who follow records of their own besides', {
  timeout: 600_000,
}, async () => {
  const app = await startApp();
  try {
    const fields = { text: { type: 'text' } };
    const definitions = ['news', 'talk'].map((id) => ({ id, fields, api: { access: 'public' } }));
    await app.project('p', ...definitions, { id: 'own', fields, api: { access: 'user' } });
    const crowd = await makeCrowd(app, 'p', streams);
    const all = await Promise.all(
      crowd.map(async ({ token }) => {
        const stream = await followEvents(app, '/v1/p/_changes?after=now', { token });
        await stream.started;
        return stream;
      }),
    );
    const create = async (collection: string, _owner?: string) => {
      const body = { text: 'x', ...(_owner !== undefined && { _owner }) };
      const reply = await app.call('POST', `/v1/p/${collection}`, { body, token: adminKey });
      return String(reply.body.result._id);
    };
    const catalog = app.catalog();
    const { use } = catalog;
    let uses = 0;
    catalog.use = (id, work, how) => {
      uses += 1;
      return use.call(catalog, id, work, how) as never;
    };
    for (let round = 0; round < 5; round++) {
      uses = 0;
      const begun = performance.now();
      const made = [await create('news'), await create('talk')];
      for (const stream of all) {
        const told = [(await stream.next()).data?._id, (await stream.next()).data?._id];
        assert.deepEqual(told, made);
      }
      console.log(
        `${streams} users were told of two records after ${Math.round(performance.now() - begun)} ms`,
      );
      assert.ok(uses < 20, `${uses} reads for ${streams} users`);
    }
    // What is somebody's own is told to them alone.
    const mine = await create('own', crowd[0]?.id);
    assert.equal((await all[0]?.next())?.data?._id, mine);
    const last = await create('news');
    for (const stream of all) assert.equal((await stream.next()).data?._id, last);
    for (const stream of all) await stream.close();
    assert.deepEqual(app.errors, []);
  } finally {
    await app.close();
  }
});
