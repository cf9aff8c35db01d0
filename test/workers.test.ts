import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Json, JsonObject } from '../src/model/json.ts';
import { loadRuntime } from '../src/runtime/load-runtime.ts';
import { definition, pause } from './support.ts';
import { adminKey, Cluster } from './workers/cluster.ts';
import { type Answer, Connection, type SendOptions } from './workers/connection.ts';

const supported = process.platform === 'linux';

for (const count of [2, 3]) {
  describe(`${count} workers`, { skip: !supported }, () => {
    let cluster: Cluster;
    /** One to each worker. */
    let connections: Connection[];
    before(async () => {
      cluster = await Cluster.serving(count);
      connections = await cluster.connect(count);
    });
    after(async () => {
      for (const connection of connections ?? []) connection.close();
      await cluster?.remove();
    });

    const admin = (on: Connection, verb: string, path: string, body?: Json) =>
      ask(on, verb, `/v1/_admin/projects${path}`, { token: adminKey, ...(body !== undefined && { body }) });

    /** What every worker but one answers. */
    const others = (but: Connection, verb: string, path: string, options?: SendOptions) =>
      Promise.all(connections.filter((one) => one !== but).map((one) => one.send(verb, path, options)));

    /** For every worker in turn: it makes a change, the others have to honour it. All have used the project before. */
    async function eachInTurn(
      name: string,
      collection: JsonObject,
      work: (on: Connection, project: string) => Promise<void>,
    ): Promise<void> {
      for (const [index, connection] of connections.entries()) {
        const project = `${name}${index}`;
        await admin(connection, 'POST', '', { id: project });
        await admin(connection, 'POST', `/${project}/collections`, collection);
        for (const one of connections) await ask(one, 'GET', `/v1/${project}/things`, { token: adminKey });
        await work(connection, project);
      }
    }

    it('say how many they are, and are as many', () => {
      assert.match(
        cluster.output,
        new RegExp(`Vitrine is at http://127.0.0.1:\\d+ \\(.*, ${count} workers\\)`),
      );
      assert.equal(cluster.output.match(/Vitrine is at/g)?.length, 1);
      assert.equal(cluster.workers().length, count);
    });

    it('honour a changed schema', async () => {
      await eachInTurn('schema', things, async (on, project) => {
        const fields = { title: { type: 'text' }, size: { type: 'number' } };
        await admin(on, 'PUT', `/${project}/collections/things`, definition('things', fields));
        const made = await others(on, 'POST', `/v1/${project}/things`, { body: { title: 'x', size: 3 } });
        for (const { status, text } of made) assert.equal(status, 201, text);
        const found = await others(on, 'GET', `/v1/${project}/things?size=3`);
        for (const { body } of found) assert.equal(body.result.total, count - 1);
      });
    });

    it('honour a changed level', async () => {
      await eachInTurn('level', things, async (on, project) => {
        const closed = { ...things, api: { access: 'user' } };
        await admin(on, 'PUT', `/${project}/collections/things`, closed);
        statuses(await others(on, 'GET', `/v1/${project}/things`), 401);
      });
    });

    it('honour a revoked key', async () => {
      await eachInTurn('key', { ...things, api: { access: 'user' } }, async (on, project) => {
        const { result } = (await admin(on, 'POST', `/${project}/keys`, { name: 'key' })).body;
        const token = String(result.key);
        statuses(await others(on, 'GET', `/v1/${project}/things`, { token }), 200);
        await admin(on, 'DELETE', `/${project}/keys/${result._id}`);
        statuses(await others(on, 'GET', `/v1/${project}/things`, { token }), 401);
      });
    });

    it('honour a disabled user', async () => {
      await eachInTurn('user', { ...things, api: { access: 'user' } }, async (on, project) => {
        const body = { email: 'ann@example.com', password: 'correct horse' };
        const { result } = (await ask(on, 'POST', `/v1/${project}/_auth/register`, { body })).body;
        const token = String(result.accessToken);
        statuses(await others(on, 'GET', `/v1/${project}/things`, { token }), 200);
        const { _id } = result.user as { _id: string };
        await admin(on, 'PATCH', `/${project}/users/${_id}`, { disabled: true });
        statuses(await others(on, 'GET', `/v1/${project}/things`, { token }), 401);
      });
    });

    it('honour a deleted project, and another of the same name', async () => {
      await eachInTurn('gone', things, async (on, project) => {
        await ask(on, 'POST', `/v1/${project}/things`, { body: { title: 'x' } });
        await admin(on, 'DELETE', `/${project}?confirm=destructive`);
        statuses(await others(on, 'GET', `/v1/${project}/things`), 404);
        await admin(on, 'POST', '', { id: project });
        await admin(on, 'POST', `/${project}/collections`, things);
        for (const { body } of await others(on, 'GET', `/v1/${project}/things`))
          assert.equal(body.result.total, 0);
      });
    });

    it('show a change to whoever asks once it is acknowledged, whatever they were doing', async () => {
      await admin(connections[0] as Connection, 'POST', '', { id: 'fresh' });
      await admin(connections[0] as Connection, 'POST', '/fresh/collections', things);
      const create = Array.from({ length: 600 }, (_, index) => ({ title: `${index}`.repeat(100) }));
      await ask(connections[0] as Connection, 'POST', '/v1/fresh/things/batch', { body: { create } });
      const made = await ask(connections[0] as Connection, 'POST', '/v1/fresh/things', {
        body: { title: '' },
      });
      const path = `/v1/fresh/things/${made.body.result._id}`;
      const readers = await Promise.all(Array.from({ length: 24 }, () => Connection.open(cluster.base)));
      const stale: string[] = [];
      for (let round = 0; round < 40; round++) {
        const title = `${round}`;
        const page = () => `/v1/fresh/things?perPage=600&title!=${Math.random()}`;
        const before = readers.map((one, index) => one.send('GET', index % 2 ? page() : path));
        await pause(Math.random() * 3);
        await ask(connections[round % count] as Connection, 'PATCH', path, { body: { title } });
        const answers = await Promise.all(readers.map((one) => ask(one, 'GET', path)));
        for (const { body } of answers) if (body.result.title !== title) stale.push(title);
        await Promise.all(before);
      }
      for (const reader of readers) reader.close();
      assert.deepEqual(stale, []);
    });

    it('count failed sign-ins together', async () => {
      const body = { email: 'nobody@example.com', password: 'a wrong guess' };
      await admin(connections[0] as Connection, 'POST', '', { id: 'limit' });
      const tries: number[] = [];
      for (let index = 0; index < 14; index++) {
        const connection = connections[index % count] as Connection;
        tries.push((await connection.send('POST', '/v1/limit/_auth/login', { body })).status);
      }
      assert.deepEqual(tries, [...Array(10).fill(401), ...Array(4).fill(429)]);
    });

    it('create at the same time: nothing is lost, nothing fails, no number is left out', async () => {
      await admin(connections[0] as Connection, 'POST', '', { id: 'many' });
      await admin(connections[0] as Connection, 'POST', '/many/collections', things);
      const each = 200;
      const writers = await Promise.all(
        [...connections, ...(await cluster.connect(count))].map(async (on, who) => {
          const ids: string[] = [];
          for (let index = 0; index < each; index++) {
            const body = { title: `${who} ${index}` };
            ids.push(String((await ask(on, 'POST', '/v1/many/things', { body })).body.result._id));
          }
          return ids;
        }),
      );
      const ids = writers.flat();
      assert.equal(new Set(ids).size, each * count * 2);
      for (const one of connections) {
        const { result } = (await ask(one, 'GET', '/v1/many/things?perPage=1000')).body;
        assert.equal(result.total, ids.length);
        const last = await ask(one, 'GET', `/v1/many/things/${ids.at(-1)}`);
        assert.equal(last.status, 200);
      }
      assert.deepEqual(await sequence(join(cluster.directory, 'projects', 'many.db')), [
        ids.length,
        1,
        ids.length,
      ]);
    });
  });
}

const things = definition('things', { title: { type: 'text' } });

/** Insists on success. */
async function ask(on: Connection, verb: string, path: string, options?: SendOptions): Promise<Answer> {
  const answer = await on.send(verb, path, options);
  assert.ok(answer.body.ok, `${verb} ${path}: ${answer.status} ${answer.text}`);
  return answer;
}

function statuses(answers: readonly Answer[], status: number): void {
  for (const answer of answers) assert.equal(answer.status, status, answer.text);
}

/** How many records there are in the only collection, the first number and the last. */
async function sequence(file: string): Promise<number[]> {
  const db = (await loadRuntime()).sqlite.open(file);
  try {
    const key = db.prepare('SELECT key FROM collections').rows([])[0]?.[0];
    const [row] = db.prepare(`SELECT count(*), min(seq), max(seq) FROM r${key}`).rows([]);
    return (row ?? []).map(Number);
  } finally {
    db.close();
  }
}
