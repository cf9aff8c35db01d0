import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createClient } from '../../client/client.ts';
import { adminKey, startApp } from '../harness.ts';
import { pause } from '../support.ts';

it('client.changes() goes on when its token ends, with a new one', { timeout: 280_000 }, async () => {
  let ahead = 0;
  const app = await startApp({ now: () => Date.now() + ahead });
  try {
    await app.project('p', { id: 'own', fields: { n: { type: 'number' } }, api: { access: 'user' } });
    const settings = { auth: { accessTokenMinutes: 1 } };
    await app.call('PATCH', '/v1/_admin/projects/p', { body: settings, token: adminKey });
    const asked: string[] = [];
    const client = createClient('http://vitrine.test', {
      project: 'p',
      fetch(address, init) {
        const { accept } = init.headers as Record<string, string>;
        asked.push(accept === 'text/event-stream' ? 'stream' : new URL(address).pathname);
        return app.fetch(new Request(address, init));
      },
    });
    await client.auth.register({ email: 'ann@example.com', password: 'correct horse' });
    const own = client.collection('own');
    const stop = new AbortController();
    const changes = own.changes({ signal: stop.signal })[Symbol.asyncIterator]();
    for (let n = 1; n <= 3; n++) {
      const next = changes.next();
      while (asked.filter((one) => one === 'stream').length < n) await pause(10);
      await own.create({ n });
      const { value } = await next;
      assert.equal(value?.record?.n, n);
      ahead += 61_000; // its stream ends within a second
    }
    assert.ok(asked.includes('/v1/p/_auth/refresh'), asked.join(' '));
    stop.abort();
    await changes.return?.();
  } finally {
    await app.close();
  }
});
