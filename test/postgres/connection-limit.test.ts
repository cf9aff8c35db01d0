import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { asSuperuser, freshDatabase, sharedPostgres } from '../postgres-server.ts';
import { definition } from '../support.ts';
import { NodeProcess } from './node-process.ts';
import { made, well } from './nodes.ts';

const notes = definition('notes', { text: { type: 'text' } });

describe('a server that takes fewer connections than the pool has', () => {
  it('is used with those that it takes, and no request fails', async () => {
    const { url, drop } = await freshDatabase();
    const name = new URL(url).pathname.slice(1);
    await asSuperuser(url, `CREATE ROLE ${name} LOGIN CONNECTION LIMIT 3`);
    await asSuperuser(url, `ALTER DATABASE ${name} OWNER TO ${name}`);
    const backups = await mkdtemp(join(tmpdir(), 'vitrine-limit-'));
    const flags = ['--pool', '10', '--backup-to', backups];
    const node = await NodeProcess.start(url.replace(/\/\/[^@]*@/, `//${name}@`), ...flags);
    await made(node, '/v1/_admin/projects', { id: 'p' });
    await made(node, '/v1/_admin/projects/p/collections', notes);
    const { _id: id } = await made(node, '/v1/p/notes', { text: 'first' });
    const client = async (number: number) => {
      for (let turn = 0; turn < 40; turn++) {
        const way = (turn + number) % 3;
        if (way === 0) await made(node, '/v1/p/notes', { text: `${number} ${turn}` });
        else if (way === 1) well(await node.send('PATCH', `/v1/p/notes/${id}`, { body: { text: 'y' } }));
        else well(await node.send('GET', '/v1/p/notes?sort=text'));
      }
    };
    /** What holds a lock while others work, and so wants a connection beside theirs. */
    const operator = async () => {
      for (const field of ['more', 'most']) {
        const fields = { ...(notes.fields as object), [field]: { type: 'number', default: 1 } };
        const path = '/v1/_admin/projects/p/collections/notes?confirm=destructive';
        well(await node.send('PUT', path, { body: { ...notes, fields } }));
        await made(node, '/v1/_admin/projects/p/backups', {});
      }
    };
    /** And what listens for changes of other nodes. */
    const follower = async () => {
      let { next } = well(await node.send('GET', '/v1/p/notes/_changes?after=now'));
      while (!over) {
        const page = well(await node.send('GET', `/v1/p/notes/_changes?wait=1&after=${next}`));
        next = page.next;
      }
    };
    let over = false;
    const clients = Array.from({ length: 12 }, (_, number) => client(number));
    const working = Promise.all([...clients, operator()]).finally(() => {
      over = true;
    });
    await Promise.all([working, follower()]);
    assert.equal(await node.kill('SIGTERM'), 0);
    await drop();
    await rm(backups, { recursive: true });
    await asSuperuser(await sharedPostgres(), `DROP ROLE ${name}`);
  });
});
