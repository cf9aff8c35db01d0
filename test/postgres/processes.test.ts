import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { freshDatabase, type PostgresServer, startPostgres } from '../postgres-server.ts';
import { definition } from '../support.ts';
import { NodeProcess } from './node-process.ts';
import { leftovers, made, schemaOf, untilChanging, untilTidy, well, whileHeld } from './nodes.ts';

const fields: JsonObject = {
  name: { type: 'text', index: true },
  tags: { type: 'list', of: { type: 'text' } },
};
const things = (more: JsonObject = {}) => definition('things', { ...fields, ...more });

let server: PostgresServer;
let database: string;
let nodes: NodeProcess[] = [];
before(async () => {
  server = await startPostgres({ durable: true });
});
after(() => server.remove());
beforeEach(async () => {
  database = (await freshDatabase(server.url)).url;
  nodes = await Promise.all([NodeProcess.start(database), NodeProcess.start(database, '--workers', '2')]);
  await made(here(), '/v1/_admin/projects', { id: 'p' });
  await made(here(), '/v1/_admin/projects/p/collections', things());
});
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.kill('SIGTERM')));
  assert.deepEqual(
    nodes.flatMap(({ errors }) => errors),
    [],
  );
});

const here = () => nodes[0] as NodeProcess;
const there = () => nodes[1] as NodeProcess;
const admin = (rest: string) => `/v1/_admin/projects/p${rest}`;
const put = (node: NodeProcess, body: JsonObject) => node.send('PUT', admin('/collections/things'), { body });

describe('two nodes in processes of their own', () => {
  /** Several times, as there are several workers that could have missed something. */
  const statuses = async (token: string, path = '/v1/p/things', node = there()) => {
    const answers = [];
    for (let turn = 0; turn < 6; turn++) answers.push(await node.send('GET', path, { token }));
    return [...new Set(answers.map(({ status }) => status))];
  };

  it('know at their next request what was done through the other', async () => {
    const { key, _id: keyId } = await made(here(), admin('/keys'), { name: 'k' });
    const signedIn = await made(here(), '/v1/p/_auth/register', {
      email: 'ann@example.com',
      password: 'long enough',
    });
    const token = String(signedIn.accessToken);
    const { _id: user } = signedIn.user as { _id: string };
    for (const one of ['', String(key), token]) assert.deepEqual(await statuses(one), [200]);

    well(await put(here(), { ...things(), api: { access: 'user' } }));
    assert.deepEqual(await statuses(''), [401], 'another level');
    assert.deepEqual(await statuses(token), [200]);

    well(await here().send('DELETE', admin(`/keys/${keyId}`)));
    assert.deepEqual(await statuses(String(key)), [401], 'a key that is revoked');

    well(await here().send('PATCH', admin(`/users/${user}`), { body: { disabled: true } }));
    assert.deepEqual(await statuses(token), [401], 'a user who is disabled');

    well(await put(here(), things({ size: { type: 'number', default: 7 } })));
    assert.deepEqual(await statuses('', '/v1/p/things?size=7'), [200], 'another field');
    assert.equal((await made(there(), '/v1/p/things', { name: 'x' })).size, 7);
    well(await put(there(), { ...things({ size: { type: 'number' } }), id: 'stuff' }));
    assert.deepEqual(await statuses('', '/v1/p/things', here()), [404], 'another name');
    assert.equal(well(await here().send('GET', '/v1/p/stuff?size=7')).total, 1);

    well(await here().send('DELETE', admin('?confirm=destructive')));
    assert.deepEqual(await statuses('', '/v1/p/stuff'), [404], 'a project that is deleted');
  });
});

describe('a node that is killed in the middle of a change', () => {
  const size = 3_000;
  const larger = things({ size: { type: 'number', default: 7 } });

  async function killInTheMiddle(): Promise<void> {
    for (let batch = 0; batch < size / 1_000; batch++) {
      const create = Array.from({ length: 1_000 }, (_, at) => ({ name: `${batch} ${at}`, tags: ['a', 'b'] }));
      await made(here(), '/v1/p/things/batch', { create });
    }
    // Those who search keep it from its end for some seconds.
    const searching = `LOCK TABLE ${await schemaOf(database)}.s1 IN ACCESS SHARE MODE`;
    await whileHeld(database, searching, async () => {
      const changing = put(here(), larger).catch(() => 'broken off');
      await untilChanging(database);
      await here().kill();
      assert.equal(await changing, 'broken off');
    });
    assert.notDeepEqual(await leftovers(database), [], 'it was in the middle');
  }

  it('is in the way of nobody: another node changes the collection right after, and nothing is left', async () => {
    await killInTheMiddle();
    assert.equal('size' in (await made(there(), '/v1/p/things', { name: 'old' })), false);
    well(await put(there(), larger));
    assert.equal((await made(there(), '/v1/p/things', { name: 'new' })).size, 7);
    assert.equal(well(await there().send('GET', '/v1/p/things?size=7')).total, size + 2);
    assert.equal(well(await there().send('GET', '/v1/p/things?tags=a')).total, size);
    await untilTidy(database);
  });

  it('is tidied up after by the next that opens the project, also where nothing is changed', async () => {
    await killInTheMiddle();
    nodes.push(await NodeProcess.start(database));
    const next = nodes[2] as NodeProcess;
    await made(next, '/v1/p/things', { name: 'noted no more' });
    await untilTidy(database);
    assert.equal(well(await next.send('GET', '/v1/p/things')).total, size + 1);
  });
});
