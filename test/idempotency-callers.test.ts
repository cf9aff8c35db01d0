import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makePeople, type People, type SignedIn } from './auth/people.ts';
import { startApp, type TestApp } from './harness.ts';
import { asAdmin, assertRefused, resultOf, strangerId } from './support.ts';

const newKey = () => crypto.randomUUID();

describe('one Idempotency-Key of several callers', () => {
  let app: TestApp;
  let people: People;
  let ann: SignedIn;
  let bob: SignedIn;
  before(async () => {
    app = await startApp();
    people = await makePeople(app);
    [ann, bob] = [await people.register('ann'), await people.register('bob')];
  });
  after(() => app.close());
  const send = (collection: string, key: string, token?: string) =>
    people.records('POST', collection, { text: 'same' }, { token, headers: { 'idempotency-key': key } });

  it('is as many keys: none sees the answer of another', async () => {
    const { key: server } = await people.key();
    const key = newKey();
    const tokens = [undefined, ann.accessToken, bob.accessToken, server, asAdmin.token];
    const ids: unknown[] = [];
    for (const token of tokens) ids.push(resultOf(await send('public', key, token), 201)._id);
    assert.equal(new Set(ids).size, tokens.length);
    for (const [at, token] of tokens.entries()) {
      assert.equal(resultOf(await send('public', key, token), 201)._id, ids[at]);
    }
  });

  it('of one user is one key, whatever the token', async () => {
    const key = newKey();
    const first = await send('user', key, ann.accessToken);
    const again = await send('user', key, (await people.login('ann')).accessToken);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
  });

  it('does not replay to a token that is not good', async () => {
    const key = newKey();
    resultOf(await send('user', key, ann.accessToken), 201);
    assertRefused(await send('user', key, 'nonsense'), 401);
    assertRefused(await send('user', key), 401);
  });

  it('of one user in two workspaces makes a record in each', async () => {
    const workspaces = [await people.workspace(ann, 'one'), await people.workspace(ann, 'two')];
    const key = newKey();
    const seen: unknown[] = [];
    for (const workspace of workspaces) {
      const { accessToken } = await people.switch(ann, workspace);
      const { _id } = resultOf(await send('workspace', key, accessToken), 201);
      seen.push(_id);
      resultOf(await people.records('GET', `workspace/${_id}`, undefined, { token: accessToken }));
    }
    assert.equal(new Set(seen).size, 2);
  });

  it('of two server keys is two keys', async () => {
    const key = newKey();
    const [one, two] = [await people.key({ name: 'one' }), await people.key({ name: 'two' })];
    const first = resultOf(await send('public', key, one.key), 201);
    assert.notEqual(resultOf(await send('public', key, two.key), 201)._id, first._id);
  });

  it('is no way round a method that is off or a record that is not there', async () => {
    assertRefused(await send('none', newKey(), asAdmin.token), 404);
    const headers = { 'idempotency-key': newKey() };
    const reply = await people.records('POST', 'public/batch', { delete: [strangerId] }, { headers });
    assertRefused(reply, 404, 'delete[0]');
  });
});
