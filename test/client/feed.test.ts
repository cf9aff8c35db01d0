import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createAdmin } from '../../client/admin.ts';
import { createClient } from '../../client/client.ts';
import { type Process, serving, vitrine } from '../auth/process.ts';
import { freePort } from '../postgres-server.ts';
import { type NamedStorage, startStorage } from '../storage.ts';

const key = 'a-key-for-the-feed';

/** A server that is stopped and started again at the same address. */
describe('client.changes() and a server that is restarted', { timeout: 280_000 }, () => {
  let storage: NamedStorage;
  let server: Process;
  let url: string;
  before(async () => {
    storage = await startStorage();
    await start(String(await freePort()));
    const admin = createAdmin(url, { token: key });
    await admin.projects.create({ id: 'app' });
    const fields = { title: { type: 'text' } } as const;
    await admin.project('app').collections.create({ id: 'notes', fields });
    await admin.project('app').collections.create({ id: 'news', fields, api: { access: 'public' } });
  });
  after(async () => {
    await stop('SIGTERM');
    await storage.remove();
  });

  async function start(port: string) {
    server = vitrine(['serve', '--port', port, ...storage.flags], {
      environment: { VITRINE_ADMIN_KEY: key },
    });
    url = await serving(server);
  }
  async function stop(signal: 'SIGTERM' | 'SIGKILL') {
    server.child.kill(signal);
    await server.exit;
  }
  const restart = async (signal: 'SIGTERM' | 'SIGKILL') => {
    await stop(signal);
    await start(new URL(url).port);
  };
  const admin = () => createAdmin(url, { token: key });
  const everything = () => admin().records('app');

  it('goes on by itself, and misses nothing', async () => {
    const client = createClient(url, { project: 'app', token: key });
    const end = new AbortController();
    const seen: string[] = [];
    const position = await client.position();
    const following = (async () => {
      for await (const change of client.changes({ after: position, signal: end.signal })) {
        seen.push(`${change.collection} ${change.kind} ${change.record ? String(change.record.title) : ''}`);
      }
    })().catch((error: unknown) => {
      if (!end.signal.aborted) throw error;
    });
    const comes = async (text: string) => {
      for (let tries = 0; !seen.includes(text); tries++) {
        assert.ok(tries < 6_000, `${text} is not among ${seen.join('; ')}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const { _id } = await everything().collection('notes').create({ title: 'one' });
    await comes('notes create one');
    await restart('SIGTERM');
    await everything().collection('notes').update(_id, { title: 'two' });
    await comes('notes update two');
    await restart('SIGKILL');
    await everything().collection('news').create({ title: 'three' });
    await comes('news create three');
    await everything().collection('notes').delete(_id);
    await comes('notes delete ');
    end.abort();
    await following;
    assert.deepEqual(seen, ['notes create one', 'notes update two', 'news create three', 'notes delete ']);
  });

  it('says reset where the positions are of another past, and goes on', async () => {
    const client = createClient(url, { project: 'app' }).collection('news');
    const changes = client.changes({ after: await client.position() })[Symbol.asyncIterator]();
    const first = changes.next();
    const made = await admin().project('app').backup();
    await everything().collection('news').create({ title: 'lost by the restore' });
    assert.equal((await first).value.kind, 'create');
    const next = changes.next();
    await admin().backups.restore(made._id, { as: 'app', replace: true });
    const seen = [(await next).value.kind];
    if (seen[0] === 'refetch') seen.push((await changes.next()).value.kind);
    assert.equal(seen.at(-1), 'reset');
    const after = changes.next();
    await everything().collection('news').create({ title: 'after' });
    assert.deepEqual([(await after).value.kind, (await after).value.record.title], ['create', 'after']);
    await changes.return?.();
  });
});
