import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { adminKey } from '../harness.ts';
import { sent, startWorld, type World } from './world.ts';

const hour = 3_600_000;
const text = { type: 'text' } as const;

describe('when a collection is renamed, webhooks', () => {
  let world: World;
  let hook: string;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());
  beforeEach(() => collection('POST', '', notes('notes')));
  afterEach(async () => {
    const { found } = (await world.admin('GET', '')).body.result as { found: { _id: string }[] };
    for (const { _id } of found) await world.admin('DELETE', `/${_id}`);
    await remove('papers');
    await remove('notes');
    world.receiver.received.length = 0;
    works();
    assert.deepEqual(world.app.errors, []);
  });

  const notes = (id: string, fields: JsonObject = { title: text, body: text }) => ({
    ...{ id, fields },
    api: { access: 'public' },
  });
  async function collection(verb: string, path: string, body?: JsonObject): Promise<void> {
    const at = `/v1/_admin/projects/shop/collections${path}`;
    const reply = await world.app.call(verb, at, { body, token: adminKey });
    assert.ok(reply.status < 300, reply.text);
  }
  const remove = async (id: string) => {
    const at = `/v1/_admin/projects/shop/collections/${id}?confirm=destructive`;
    await world.app.call('DELETE', at, { token: adminKey });
  };
  const rename = (fields?: JsonObject) => collection('PUT', '/notes', notes('papers', fields));
  const fails = () => world.receiver.answer((_, response) => response.writeHead(500).end());
  const works = () => world.receiver.answer((_, response) => response.writeHead(204).end());
  const types = () => world.receiver.received.map((one) => sent(one).type);
  const has = (type: string) => () => types().includes(type);
  const settings = async () => (await world.admin('GET', `/${hook}`)).body.result;

  it('that name it follow, and what was not sent yet is sent', async () => {
    ({ id: hook } = await world.hook({ collections: ['brands', 'notes'] }));
    fails();
    const tried = await world.create('notes', { title: 'tried' });
    await world.sends(() => world.receiver.received.length === 1);
    const [first] = world.receiver.received.splice(0);
    const unread = await world.create('notes', { title: 'not taken yet' });
    await rename();
    assert.deepEqual((await settings()).collections, ['brands', 'papers']);
    works();
    world.later(hour);
    await world.sends(() => world.receiver.received.length >= 3);
    const later = await world.create('papers', { title: 'later' });
    await world.sends(() => world.receiver.received.length >= 4);
    const seen = world.receiver.received.map((one) => `${sent(one).type} ${sent(one).data._id}`);
    const expected = [tried, unread, later].map((id) => `papers.create ${id}`);
    assert.deepEqual(seen.toSorted(), [...expected, 'papers.refetch null'].toSorted());
    const again = world.receiver.received.find((one) => sent(one).data._id === tried);
    assert.equal(again?.headers['webhook-id'], first?.headers['webhook-id'], 'the same at every try');
  });

  it('that name it follow also where its records are carried over', async () => {
    ({ id: hook } = await world.hook({ collections: ['notes'], kinds: ['create'] }));
    fails();
    const tried = await world.create('notes', { title: 'tried' });
    await world.sends(() => world.receiver.received.length === 1);
    world.receiver.received.length = 0;
    await rename({ title: { ...text, required: true, unique: true }, body: text });
    assert.deepEqual((await settings()).collections, ['papers']);
    works();
    world.later(hour);
    await world.sends(() => has('papers.create')() && has('papers.refetch')());
    const [{ data } = assert.fail()] = world.receiver.received
      .map(sent)
      .filter(({ type }) => type === 'papers.create');
    assert.deepEqual([data._id, data.collection, data.record?.title], [tried, 'papers', 'tried']);
  });

  it('that name fields of it follow these', async () => {
    ({ id: hook } = await world.hook({ collections: ['notes'], fields: ['title', '_owner'] }));
    const changed = { heading: { ...text, renamedFrom: 'title' }, body: text };
    await rename(changed);
    assert.deepEqual((await settings()).fields, ['heading', '_owner']);
    await world.create('papers', { heading: 'a', body: 'b' });
    await world.sends(has('papers.create'));
    const { data } =
      world.receiver.received.map(sent).find(({ type }) => type === 'papers.create') ?? assert.fail();
    assert.deepEqual(data.record, { _id: data._id, heading: 'a', _owner: null });
  });

  it('that are told of all lose nothing that waited', async () => {
    ({ id: hook } = await world.hook());
    fails();
    const tried = await world.create('notes', { title: 'tried' });
    await world.sends(() => world.receiver.received.length === 1);
    await rename();
    works();
    world.later(hour);
    await world.sends(has('papers.create'));
    assert.deepEqual((await settings()).collections, []);
    assert.equal(types().filter((type) => type === 'notes.create').length, 1, 'the first try');
    assert.equal(world.receiver.received.filter((one) => sent(one).data._id === tried).length, 2);
  });

  it('lose nothing where that happens while they are sent', async () => {
    ({ id: hook } = await world.hook({ collections: ['notes'], kinds: ['create'] }));
    const made = new Set<string>();
    let more = true;
    const writes = async () => {
      for (let round = 0; round < 20; round++) {
        const [from, to] = round % 2 === 0 ? ['notes', 'papers'] : ['papers', 'notes'];
        for (let n = 0; n < 5; n++) made.add(await world.create(from ?? '', { title: `${round}` }));
        await collection('PUT', `/${from}`, notes(to ?? ''));
      }
      more = false;
    };
    const seen = () => new Set(world.receiver.received.map((one) => sent(one).data._id));
    await Promise.all([writes(), world.sends(() => !more && made.isSubsetOf(seen()))]);
    const creates = world.receiver.received.filter((one) => sent(one).data._id !== null);
    assert.equal(creates.length, made.size, 'each once');
  });

  it('take nothing more under the name of before', async () => {
    ({ id: hook } = await world.hook({ collections: ['notes'] }));
    const store = world.app.catalog();
    const before = await store.use('shop', ({ schema }) => schema.version, 'fresh');
    await rename();
    const taken = await store.use('shop', async ({ store: { webhooks } }) => {
      const { position: from = '' } = (await webhooks.find(hook)) ?? {};
      const change = { position: '1-1', kind: 'create' as const, collection: 'notes', id: 'r', changed: 0 };
      const intake = { webhook: hook, from, to: '1-1', changes: [change], anew: false, now: 0 };
      return webhooks.take({ ...intake, schema: before });
    });
    assert.equal(taken, false);
  });

  it('that name it are sent a new collection that gets the name of one that was deleted', async () => {
    ({ id: hook } = await world.hook({ collections: ['notes'] }));
    await remove('notes');
    await world.sends(has('notes.refetch'));
    assert.deepEqual((await settings()).collections, ['notes']);
    await collection('POST', '', notes('notes'));
    await world.create('notes', { title: 'new' });
    await world.sends(has('notes.create'));
  });
});
