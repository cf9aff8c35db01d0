import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json, JsonObject } from '../src/model/json.ts';
import { Clock } from './auth/people.ts';
import { type Reply, startApp, type TestApp } from './harness.ts';
import { assertRefused, definition, makeProject, Records, resultOf } from './support.ts';

const hour = 60 * 60_000;

let app: TestApp;
let path: string;
let items: Records;
const clock = new Clock();

before(async () => {
  app = await startApp({ now: clock.now });
  const fields = { name: { type: 'text', unique: true }, n: { type: 'number', min: 0 } };
  path = await makeProject(app, definition('items', fields), definition('others', fields));
  items = new Records(app, `${path}/items`);
});
after(() => app.close());

let keys = 0;
const newKey = () => `key-${++keys}`;

function post(address: string, key: string, body: Json, token?: string): Promise<Reply> {
  return app.call('POST', `${path}/${address}`, { body, token, headers: { 'idempotency-key': key } });
}

/** Three of the addresses that take a key, a body for each that makes `name`, and the status of success. */
const ways: Readonly<Record<string, { status: number; address: string; body(data: JsonObject): Json }>> = {
  Create: { status: 201, address: 'items', body: (data) => data },
  'the batch of a collection': { status: 200, address: 'items/batch', body: (data) => ({ create: [data] }) },
  'the batch of a project': {
    status: 200,
    address: '_batch',
    body: (data) => ({ operations: [{ method: 'create', collection: 'items', data }] }),
  },
};

function assertReplayed(first: Reply, again: Reply): void {
  assert.equal(again.status, first.status, again.text);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get('etag'), first.headers.get('etag'));
  assert.equal(again.headers.get('content-type'), first.headers.get('content-type'));
  assert.equal(first.headers.get('idempotency-replayed'), null);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
}

for (const [way, { status, address, body }] of Object.entries(ways)) {
  describe(`Idempotency-Key on ${way}`, () => {
    const made = (n: number) => items.total(`n=${n}`);
    let n = 1000 * Object.keys(ways).indexOf(way);
    const next = () => ++n;

    it('replays the first answer byte for byte, and says so', async () => {
      const [key, mark] = [newKey(), next()];
      const first = await post(address, key, body({ n: mark, name: `${way} ${mark}` }));
      resultOf(first, status);
      for (let count = 0; count < 3; count++) {
        clock.move(1);
        assertReplayed(first, await post(address, key, body({ n: mark, name: `${way} ${mark}` })));
      }
      assert.equal(await made(mark), 1);
    });

    it('replays it also when the record has changed or gone since', async () => {
      const [key, mark] = [newKey(), next()];
      const first = await post(address, key, body({ n: mark }));
      const id = (await items.list(`n=${mark}`)).found[0]?._id ?? '';
      await items.update(id, { name: `changed ${mark}` });
      assertReplayed(first, await post(address, key, body({ n: mark })));
      await items.remove(id);
      assertReplayed(first, await post(address, key, body({ n: mark })));
      assert.equal(await made(mark), 0);
    });

    it('with another body is a 409 that makes nothing', async () => {
      const [key, mark, other] = [newKey(), next(), next()];
      const first = await post(address, key, body({ n: mark }));
      assertRefused(await post(address, key, body({ n: other })), 409, 'Idempotency-Key');
      assertRefused(await post(address, key, body({ n: mark, name: null })), 409, 'Idempotency-Key');
      assert.deepEqual([await made(mark), await made(other)], [1, 0]);
      assertReplayed(first, await post(address, key, body({ n: mark })));
    });

    for (const count of [2, 20]) {
      it(`makes one record when ${count} arrive at the same moment`, async () => {
        const [key, mark] = [newKey(), next()];
        const sent = Array.from({ length: count }, () => post(address, key, body({ n: mark })));
        const replies = await Promise.all(sent);
        const first = replies.find(({ headers }) => headers.get('idempotency-replayed') === null);
        assert.ok(first, 'none was the first');
        resultOf(first, status);
        for (const reply of replies) if (reply !== first) assertReplayed(first, reply);
        assert.equal(await made(mark), 1);
      });
    }

    it('makes one record when several with different bodies arrive at the same moment', async () => {
      const key = newKey();
      const marks = Array.from({ length: 10 }, next);
      const replies = await Promise.all(marks.map((mark) => post(address, key, body({ n: mark }))));
      assert.equal(replies.filter((reply) => reply.status === status).length, 1);
      assert.equal(replies.filter((reply) => reply.status === 409).length, 9);
      assert.equal(await items.total(`n>=${marks[0]}&n<=${marks.at(-1)}`), 1);
    });

    it('is remembered over a restart', async () => {
      const [key, mark] = [newKey(), next()];
      const first = await post(address, key, body({ n: mark }));
      await app.reopen();
      assertReplayed(first, await post(address, key, body({ n: mark })));
      assertRefused(await post(address, key, body({ n: mark + 0.5 })), 409);
      assert.equal(await made(mark), 1);
    });

    it('is remembered for 24 hours, and no longer', async () => {
      const [key, mark, other] = [newKey(), next(), next()];
      const first = await post(address, key, body({ n: mark }));
      clock.move(24 * hour - 1);
      assertReplayed(first, await post(address, key, body({ n: mark })));
      assertRefused(await post(address, key, body({ n: other })), 409);
      clock.move(2);
      const second = await post(address, key, body({ n: mark }));
      resultOf(second, status);
      assert.equal(second.headers.get('idempotency-replayed'), null);
      assert.notEqual(second.text, first.text);
      assert.equal(await made(mark), 2);
      assertReplayed(second, await post(address, key, body({ n: mark })));
      clock.move(24 * hour + 1);
      resultOf(await post(address, key, body({ n: other })), status);
    });

    it('is not spent by a try that failed', async () => {
      const [key, mark] = [newKey(), next()];
      const name = `taken ${way}`;
      const holder = await items.create({ name });
      assertRefused(await post(address, key, body({ n: -1 })), 400);
      assertRefused(await post(address, key, body({ n: mark, name })), 409, 'already taken');
      assertRefused(await post(address, key, body({ n: mark, name })), 409, 'already taken');
      await items.remove(holder._id);
      const made201 = await post(address, key, body({ n: mark, name }));
      resultOf(made201, status);
      assertReplayed(made201, await post(address, key, body({ n: mark, name })));
      assert.equal(await made(mark), 1);
    });

    it('is 1 to 255 visible characters, or a 400', async () => {
      const mark = next();
      for (const key of ['', 'with space', 'tab\tinside', 'é', 'x'.repeat(256), '\u007f']) {
        assertRefused(await post(address, key, body({ n: mark })), 400, 'Idempotency-Key');
      }
      assert.equal(await made(mark), 0);
      for (const key of [`${keys}`.padEnd(255, 'x'), `"${newKey()}"`, crypto.randomUUID(), `!~${newKey()}`]) {
        resultOf(await post(address, key, body({ n: mark })), status);
      }
      assert.equal(await made(mark), 4);
    });
  });
}

describe('one Idempotency-Key', () => {
  it('at different addresses is different keys', async () => {
    const [key, n] = [newKey(), 5000];
    for (const { address, status, body } of Object.values(ways))
      resultOf(await post(address, key, body({ n })), status);
    resultOf(await post('others', key, { n }), 201);
    resultOf(await post('others/batch', key, { create: [{ n }] }));
    const elsewhere = await makeProject(app, definition('items', { n: { type: 'number' } }));
    const headers = { 'idempotency-key': key };
    resultOf(await app.call('POST', `${elsewhere}/items`, { body: { n }, headers }), 201);
    assert.deepEqual(
      [await items.total('n=5000'), await new Records(app, `${path}/others`).total('n=5000')],
      [3, 2],
    );
  });

  it('replays a whole batch: what it created, updated and deleted', async () => {
    const [kept, gone] = await items.createAll([{ n: 1 }, { n: 2 }]);
    const body = {
      create: [{ n: 6000 }],
      update: [{ _id: kept?._id ?? '', n: 6001 }],
      delete: [gone?._id ?? ''],
    };
    const key = newKey();
    const first = await post('items/batch', key, body);
    assert.deepEqual(resultOf(first).deleted, [gone?._id]);
    assertReplayed(first, await post('items/batch', key, body));
    assert.equal(await items.total('n=6000'), 1);
    assertRefused(await post('items/batch', newKey(), body), 404, 'delete[0]');
    assert.equal(await items.total('n=6000'), 1);
  });
});
