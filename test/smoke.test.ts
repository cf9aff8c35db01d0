import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type TestApp } from './harness.ts';

describe('a project', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp();
    await app.project('shop', {
      id: 'notes',
      fields: { title: { type: 'text' } },
      api: { access: 'public' },
    });
  });
  after(() => app.close());

  it('stores and finds', async () => {
    const made = await app.call('POST', '/v1/shop/notes', { body: { title: 'Hello МОСКВА-7' } });
    assert.equal(made.status, 201, made.text);
    for (const word of ['москва', 'вА-7', '7', '"hello москва"', 'скв hell']) {
      const found = await app.call('GET', `/v1/shop/notes?search=${encodeURIComponent(word)}`);
      assert.equal(found.body.result.total, 1, `${word}: ${found.text}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const word of ['москва', 'вА-7', '7', '"hello москва"', 'скв hell']) {
      const found = await app.call('GET', `/v1/shop/notes?search=${encodeURIComponent(word)}`);
      assert.equal(found.body.result.total, 1, `indexed ${word}: ${found.text}`);
    }
    await app.reopen();
    assert.equal((await app.call('GET', '/v1/shop/notes')).body.result.total, 1);
    assert.deepEqual(app.errors, []);
  });
});
