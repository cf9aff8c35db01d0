import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdmin } from '../../client/admin.ts';
import { type Process, serving, vitrine } from '../auth/process.ts';
import { type NamedStorage, startStorage } from '../storage.ts';
import { certificateFile, type Receiver, startReceiver } from './receiver.ts';
import { sent } from './world.ts';

const key = 'a-key-for-webhooks';

describe('webhooks of a server', { timeout: 280_000 }, () => {
  let storage: NamedStorage;
  let receiver: Receiver;
  let server: Process | undefined;
  before(async () => {
    storage = await startStorage();
    receiver = await startReceiver();
  });
  after(async () => {
    server?.child.kill('SIGKILL');
    await server?.exit;
    await receiver.close();
    await storage.remove();
  });

  async function start(...flags: string[]) {
    server = vitrine(['serve', '--port', '0', '--webhook-allow', '127.0.0.0/8', ...flags, ...storage.flags], {
      environment: { VITRINE_ADMIN_KEY: key, NODE_EXTRA_CA_CERTS: certificateFile },
    });
    const admin = createAdmin(await serving(server), { token: key });
    return { admin, things: admin.records('shop').collection('things') };
  }
  const comes = async (count: number) => {
    for (let tries = 0; receiver.received.length < count; tries++) {
      assert.ok(tries < 6_000, `${receiver.received.length} came`);
      await sleep(20);
    }
  };

  it('what was under way when it was killed comes again, with the same webhook-id', async () => {
    const { admin, things } = await start();
    await admin.projects.create({ id: 'shop' });
    await admin.project('shop').collections.create({ id: 'things', fields: { title: { type: 'text' } } });
    const url = `https://localhost:${receiver.port}/`;
    const { webhooks } = admin.project('shop');
    const { _id } = await webhooks.create({ name: 'r', url });
    assert.equal((await webhooks.test(_id)).delivered, true);
    receiver.received.length = 0;
    await things.create({ title: 'first' });
    await comes(1);
    // What has come and is not noted yet would rightly come again, too.
    const isNoted = async () => (await webhooks.deliveries(_id)).found[0]?.status === 'delivered';
    for (let tries = 0; !(await isNoted()); tries++) {
      assert.ok(tries < 6_000, 'it is not noted');
      await sleep(20);
    }
    receiver.answer(() => {}); // and says nothing
    await things.create({ title: 'second' });
    await comes(2);
    server?.child.kill('SIGKILL');
    await server?.exit;
    receiver.answer((_, response) => response.writeHead(204).end());
    await start();
    await comes(3);
    await sleep(500);
    const [first, second, third, ...more] = receiver.received;
    assert.deepEqual(more, []);
    assert.notEqual(first?.headers['webhook-id'], second?.headers['webhook-id']);
    assert.equal(third?.headers['webhook-id'], second?.headers['webhook-id']);
    assert.equal(third && sent(third).data.record?.title, 'second');
  });

  it('with workers one process sends', async () => {
    server?.child.kill('SIGTERM');
    await server?.exit;
    receiver.received.length = 0;
    const { things } = await start('--workers', '2');
    await Promise.all(Array.from({ length: 20 }, (_, n) => things.create({ title: `w ${n}` })));
    await comes(20);
    await sleep(300);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual([ids.length, new Set(ids).size], [20, 20]);
  });
});
