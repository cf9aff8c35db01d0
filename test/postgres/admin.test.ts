import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makePlace } from '../commands/support.ts';
import { asSuperuser, freshDatabase } from '../postgres-server.ts';
import { startPostgresApp } from './app.ts';
import { NodeProcess } from './node-process.ts';

it('vitrine admin ends when the database refuses it', async () => {
  const place = await makePlace();
  const { url, drop } = await freshDatabase();
  const save = () =>
    place.run(['admin', '--email', 'ann@example.com', '--database', url], {
      environment: { VITRINE_ADMIN_PASSWORD: 'correct horse' },
    });
  try {
    assert.equal((await save()).code, 0);
    const name = new URL(url).pathname.slice(1);
    await asSuperuser(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const { code, err } = await save();
    assert.equal(code, 1);
    assert.match(err, /^vitrine: [^\n]*\n$/);
  } finally {
    await drop();
    await place.remove();
  }
});

it('a node that is started while the database is read-only answers what it can', async () => {
  const { url, drop } = await freshDatabase();
  try {
    const app = await startPostgresApp({ url });
    await app.project('p', { id: 'notes', fields: {}, api: { access: 'public' } });
    await app.close();
    const name = new URL(url).pathname.slice(1);
    await asSuperuser(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const node = await NodeProcess.start(url);
    const statuses = [];
    for (const verb of ['GET', 'POST', 'GET'])
      statuses.push((await node.send(verb, '/v1/p/notes', verb === 'POST' ? { body: {} } : {})).status);
    assert.deepEqual(statuses, [200, 503, 200]);
    assert.equal(await node.kill('SIGTERM'), 0, node.output);
  } finally {
    await drop();
  }
});
