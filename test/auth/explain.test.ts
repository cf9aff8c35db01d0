import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { adminKey, type CallOptions, type Reply } from '../harness.ts';
import { asAdmin, resultOf } from '../support.ts';
import { makeSettings, makeWorld, methods, type Who, type World } from './matrix-world.ts';
import { Clock, type Place, startPlace } from './people.ts';

/** What a request of this method comes to, without changing anything: whoever is let in is refused for another reason. */
const requests: Record<
  string,
  { verb: string; body?: JsonObject; headers?: Record<string, string>; letIn: number }
> = {
  viewAll: { verb: 'GET', letIn: 200 },
  view: { verb: 'GET', letIn: 200 },
  distinct: { verb: 'GET', letIn: 200 },
  create: { verb: 'POST', body: { nothing: 1 }, letIn: 400 },
  update: { verb: 'PATCH', body: {}, headers: { 'if-match': '"none"' }, letIn: 412 },
  delete: { verb: 'DELETE', headers: { 'if-match': '"none"' }, letIn: 412 },
};

describe('explain', () => {
  const clock = new Clock();
  let place: Place;
  let world: World;
  before(async () => {
    place = await startPlace({ now: clock.now });
    world = await makeWorld(place, clock);
  });
  after(() => place.close());

  const explain = (question: JsonObject): Promise<Reply> =>
    place.app.call('POST', '/v1/_admin/projects/shop/explain', { token: adminKey, body: question });

  /** As the question names who the world's caller is. */
  function callerOf(who: Who, key: string): JsonObject[string] | undefined {
    if (who.kind === 'nobody') return 'nobody';
    if (who.kind === 'user') return { user: who.user, workspace: who.workspace ?? 'none' };
    return who.kind === 'everything' ? { key } : undefined;
  }

  it('says what every caller really gets, for every level, method and record', async () => {
    const { _id: key } = await world.people.key();
    let compared = 0;
    for (const { id: collection, definition } of makeSettings()) {
      resultOf(await world.people.manage('POST', '/collections', definition), 201);
      const ids: string[] = [];
      for (const [tag, { owner, workspace }] of Object.entries(world.holders)) {
        const body = { tag, _owner: owner, _workspace: workspace };
        ids.push(String(resultOf(await world.people.records('POST', collection, body, asAdmin), 201)._id));
      }
      for (const { who, sends } of world.callers.values()) {
        const caller = callerOf(who, key);
        if (caller === undefined) continue;
        for (const method of methods) {
          for (const _id of [ids[0] ?? '', ids[3] ?? '', ids[5] ?? '', 'nothing']) {
            const told = resultOf(await explain({ caller, collection, method, _id }));
            assert.deepEqual(
              [method, told.status, told.allowed],
              [method, ...(await really(collection, method, _id, sends))],
              JSON.stringify(told.reasons),
            );
            compared += 1;
          }
        }
        const told = resultOf(await explain({ caller, collection, method: 'batch' }));
        const path = `/v1/shop/${collection}/batch`;
        const { status } = await place.app.call('POST', path, { ...sends, body: {} });
        assert.deepEqual([told.status, told.allowed], [status, status === 200], JSON.stringify(told.reasons));
      }
    }
    assert.ok(compared > 500, `${compared}`);
  });

  async function really(collection: string, method: string, id: string, sends: CallOptions) {
    const { verb, body, headers = {}, letIn } = requests[method] ?? assert.fail(method);
    const one = ['view', 'update', 'delete'].includes(method);
    const path = one ? `/${id}` : method === 'distinct' ? '/distinct?fields=tag' : '?perPage=1000';
    const { status, body: answer } = await place.app.call(verb, `/v1/shop/${collection}${path}`, {
      ...sends,
      headers: { ...headers, ...sends.headers },
      body,
    });
    if (status !== letIn) return [status, false];
    if (method === 'create') return [201, true];
    if (one) return [200, true];
    if (method === 'viewAll') {
      return [200, (answer.result.found as { _id: string }[]).some(({ _id }) => _id === id)];
    }
    const seen = await place.app.call('GET', `/v1/shop/${collection}?perPage=1000`, asAdmin);
    const record = (seen.body.result.found as { _id: string; tag: string }[]).find(({ _id }) => _id === id);
    return [200, record !== undefined && (answer.result.tag as string[]).includes(record.tag)];
  }

  it('says that whoever lacks the second factor that the project requires is let in nowhere', async () => {
    const free = { id: 'free', fields: {}, api: { access: 'public' } };
    resultOf(await world.people.manage('POST', '/collections', free), 201);
    const settings = (totp: string) => world.people.manage('PATCH', '', { auth: { totp } });
    resultOf(await settings('required'));
    const { user, accessToken } = await world.people.register('una');
    const caller = { user: user._id };
    const told = resultOf(await explain({ caller, collection: 'free', method: 'viewAll' }));
    const { status } = await place.app.call('GET', '/v1/shop/free', { token: accessToken });
    assert.deepEqual([told.status, told.allowed], [status, false]);
    assert.match(String(told.reasons), /second factor/);
    resultOf(await settings('optional'));
    assert.equal(resultOf(await explain({ caller, collection: 'free', method: 'viewAll' })).status, 200);
  });

  it('says why in sentences, and refuses who is not there', async () => {
    const off = { id: 'off', fields: {}, api: { access: 'public', methods: { view: { enabled: false } } } };
    resultOf(await world.people.manage('POST', '/collections', off), 201);
    const switches = Object.fromEntries(
      ['create', 'update', 'delete'].map((one) => [one, { enabled: false }]),
    );
    const fixed = { id: 'fixed', fields: {}, api: { access: 'public', methods: switches } };
    resultOf(await world.people.manage('POST', '/collections', fixed), 201);
    const batch = await place.app.call('POST', '/v1/shop/fixed/batch', { body: {} });
    const inBatch = await explain({ caller: 'nobody', collection: 'fixed', method: 'batch' });
    assert.deepEqual([batch.status, resultOf(inBatch).status], [404, 404]);
    const told = resultOf(await explain({ caller: 'nobody', collection: 'off', method: 'view', _id: 'x' }));
    assert.deepEqual(told, {
      allowed: false,
      status: 404,
      reasons: ['The method view is switched off for off: it is a 404 for everybody but the administrator.'],
    });
    assert.equal(resultOf(await explain({ caller: 'nobody', collection: 'x', method: 'view' })).status, 404);
    const wrong = [
      ...['somebody', null, {}, { user: 'x' }, { key: 'x' }, { user: 'x', key: 'y' }],
      ...[{ user: 5 }, { user: 'x', role: 'owner' }, { key: 'x', workspace: 'y' }],
    ];
    for (const caller of wrong) {
      const reply = await explain({ caller, collection: 'off', method: 'view' });
      assert.equal(reply.status, 400, JSON.stringify(caller));
      assert.match(reply.body.error, /^caller[^;]*$/); // one sentence, which names the place
    }
    assert.equal((await explain({ caller: 'nobody', collection: 'off', method: 'read' })).status, 400);
  });
});
