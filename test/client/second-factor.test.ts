import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { totpCode } from '../../src/access/totp.ts';
import { startWorld, type World } from './world.ts';

let world: World;
before(async () => {
  world = await startWorld();
  await world.admin.projects.update('shop', { auth: { totp: 'required' } });
});
after(() => world.app.close());

it('who sets up the second factor that a project requires goes on at once, without signing in again', async () => {
  const lost = new Set<string>();
  const fetch: World['fetch'] = (url, init) =>
    lost.has(new URL(url).pathname.slice(-8))
      ? Promise.reject(new TypeError('connection lost'))
      : world.fetch(url, init);
  for (const broken of [false, true]) {
    const v = world.client({ fetch });
    await v.auth.register({ email: `factor${broken}@example.com`, password: 'correct horse' });
    await assert.rejects(v.notes.list(), { status: 403 });
    const { secret } = await v.auth.totp.start();
    if (broken) lost.add('/refresh');
    const { recoveryCodes } = await v.auth.totp.confirm(totpCode(secret, Math.floor(Date.now() / 30_000)));
    assert.equal(recoveryCodes.length, 10, 'they come this once, whatever becomes of the refresh');
    if (!broken) assert.equal((await v.notes.list()).total, 0);
  }
});

it('goes on at once also where tokens from before were on their way', async () => {
  const [begun, confirmed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const once = new Set(['/notes', '/refresh']);
  const fetch: World['fetch'] = async (url, init) => {
    const path = new URL(url).pathname;
    const isFirst = [...once].some((end) => path.endsWith(end) && once.delete(end));
    if (isFirst && path.endsWith('/notes')) return new Response('{"error":"ended"}', { status: 401 });
    const answer = await world.fetch(url, init);
    if (isFirst) {
      begun.resolve();
      await confirmed.promise;
    }
    if (path.endsWith('/confirm')) setTimeout(confirmed.resolve, 20);
    return answer;
  };
  const v = world.client({ fetch });
  await v.auth.register({ email: 'meanwhile@example.com', password: 'correct horse' });
  const { secret } = await v.auth.totp.start();
  const early = assert.rejects(v.notes.list(), { status: 403 });
  await begun.promise;
  await v.auth.totp.confirm(totpCode(secret, Math.floor(Date.now() / 30_000)));
  await early;
  assert.equal((await v.notes.list()).total, 0);
});
