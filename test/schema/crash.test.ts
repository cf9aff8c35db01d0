import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { definition, pause } from '../support.ts';
import { Server } from './server.ts';
import { listOf, number, text } from './support.ts';

const records = 20_000;
let project = '';
const collection = () => `/v1/_admin/projects/${project}/collections/things`;
const fields = { title: text, size: number, tags: listOf('text') };
const changed = definition('things', {
  name: { type: 'content', renamedFrom: 'title' },
  size: { ...text, index: true },
  tags: listOf('text'),
  extra: { ...text, default: 'word' },
});

let directory: string;
let server: Server;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vitrine-crash-'));
  server = await Server.start(directory);
  await fill('p');
});
after(async () => {
  await server.kill();
  await rm(directory, { recursive: true, force: true });
});

/** Makes the project that is meant from then on. */
async function fill(id: string): Promise<void> {
  project = id;
  await ok('POST', '/v1/_admin/projects', { id });
  await ok('POST', `/v1/_admin/projects/${id}/collections`, definition('things', fields));
  for (let at = 0; at < records; at += 1000) {
    const create = Array.from({ length: 1000 }, (_, n) => {
      return { title: `title ${at + n}`, size: at + n, tags: [`tag${n % 10}`] };
    });
    await ok('POST', `/v1/${id}/things/batch`, { create });
  }
}

async function ok(verb: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const { status, text: answer } = await server.call(verb, path, body);
  assert.ok(status === 200 || status === 201, `${verb} ${path}: ${status} ${answer}`);
  return (JSON.parse(answer) as { result: JsonObject }).result;
}

/** The definition and every record, as texts. */
async function dump(): Promise<string[]> {
  const texts = [(await server.call('GET', collection())).text];
  for (let page = 1; page <= records / 1000 + 1; page++) {
    const asked = `/v1/${project}/things?perPage=1000&page=${page}`;
    texts.push((await server.call('GET', asked)).text);
  }
  texts.push((await server.call('GET', `/v1/${project}/things?search=title%201999&perPage=100`)).text);
  texts.push((await server.call('GET', `/v1/${project}/things/distinct?fields=tags`)).text);
  return texts;
}

/** Names of tables and triggers, and how much garbage there is. */
async function tables(): Promise<{ names: string[]; keys: number[]; garbage: number }> {
  const { sqlite } = await loadRuntime();
  const db = sqlite.open(join(directory, 'projects', `${project}.db`));
  try {
    db.exec('PRAGMA busy_timeout = 5000');
    const rows = (query: string) => {
      const statement = db.prepare(query);
      const found = statement.rows([]);
      statement.finalize();
      return found;
    };
    return {
      names: rows("SELECT name FROM sqlite_schema WHERE type IN ('table', 'trigger')").map(([name]) =>
        String(name),
      ),
      keys: rows('SELECT key FROM collections').map(([key]) => Number(key)),
      garbage: rows('SELECT 1 FROM garbage').length,
    };
  } finally {
    db.close();
  }
}

const isUnderWay = async () => (await tables()).names.some((name) => /^m\d/.test(name));

/** Nothing is left but the tables of the one collection. */
async function assertTidy(): Promise<void> {
  let left: string[] = [];
  for (let attempt = 0; attempt < 600; attempt++) {
    const { names, keys, garbage } = await tables();
    assert.equal(keys.length, 1);
    left = names.filter((name) => /^[mrlspt]\d/.test(name) && Number(/\d+/.exec(name)?.[0]) !== keys[0]);
    left.push(...names.filter((name) => /^m\d/.test(name)));
    if (left.length === 0 && garbage === 0) return;
    await pause(100);
  }
  assert.fail(`left over: ${left.join(', ')}, or garbage`);
}

/** Kills the server while it changes the collection, and starts it again; false where the change was over before that. */
async function killMidway(wait: number): Promise<boolean> {
  let answered = false;
  const change = server.call('PUT', collection(), changed).then(
    () => {
      answered = true;
    },
    () => {},
  );
  await pause(wait);
  // On a busy machine it has not begun yet.
  while (!answered && !(await isUnderWay())) await pause(10);
  await server.kill();
  await change;
  server = await Server.start(directory);
  const made = (await ok('GET', collection())).fields as JsonObject;
  return !Object.hasOwn(made, 'extra');
}

describe('SIGKILL in the middle of a change', () => {
  it('leaves definition and records as they were, nothing behind, and the change can be made', async () => {
    for (const wait of [60, 250]) {
      let before = await dump();
      for (let turn = 0; !(await killMidway(wait)); turn++) {
        assert.ok(turn < 10, 'every change was over before it was seen');
        await fill(`p-${wait}-${turn}`);
        before = await dump();
      }
      assert.deepEqual(await dump(), before);
      await assertTidy();
    }
    const { _id } = await ok('POST', `/v1/${project}/things`, {
      title: 'after the crash',
      size: -1,
      tags: ['new'],
    });
    await ok('PATCH', `/v1/${project}/things/${_id}`, { size: -2 });
    await ok('PUT', collection(), changed);
    const made = await ok('GET', `/v1/${project}/things/${_id}`);
    assert.deepEqual([made.name, made.size, made.extra], ['after the crash', '-2', 'word']);
    assert.equal((await ok('GET', `/v1/${project}/things?search=word&perPage=1`)).total, records + 1);
    assert.equal((await ok('GET', `/v1/${project}/things?size=19999`)).total, 1);
    await ok('DELETE', `/v1/${project}/things/${_id}`);
    await assertTidy();
    await server.kill();
    server = await Server.start(directory);
    assert.equal((await ok('GET', `/v1/${project}/things?perPage=1`)).total, records);
    assert.deepEqual(Object.keys((await ok('GET', collection())).fields as JsonObject), [
      ...['name', 'size', 'tags', 'extra'],
    ]);
    await assertTidy();
  });
});
