import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  assertUnauthenticated,
  makePeople,
  notes,
  People,
  type Place,
  password,
  type SignedIn,
  startPlace,
} from '../auth/people.ts';
import { asAdmin, assertRefused, type Listed, resultOf } from '../support.ts';

let place: Place;
let clock = 0;
before(async () => {
  place = await startPlace({ clock: () => clock });
});
after(() => place.close());

const remove = (people: People, { accessToken }: SignedIn, currentPassword = password) =>
  people.auth('POST', 'me/delete', { currentPassword }, { token: accessToken });

async function totals(people: People, ...collections: string[]): Promise<number[]> {
  const counts = collections.map(async (id) => {
    const reply = await place.app.call('GET', `/v1/${people.project}/${id}`, asAdmin);
    return (resultOf(reply) as unknown as Listed).total;
  });
  return Promise.all(counts);
}

describe('deleting the own account', () => {
  it('needs the password, ends all, and leaves records and address', async () => {
    const people = await makePeople(place.app);
    const ann = await people.register('ann');
    const space = await people.workspace(ann, 'Alone');
    const inside = await people.switch(ann, space);
    for (const level of ['user', 'workspace']) {
      const token = inside.accessToken;
      resultOf(await people.records('POST', level, { text: 'mine' }, { token }), 201);
    }
    assertRefused(await remove(people, ann, 'wrong password'), 400, 'currentPassword');
    for (const body of [{}, { currentPassword: 5 }, { currentPassword: password, more: 1 }]) {
      assertRefused(await people.auth('POST', 'me/delete', body, { token: ann.accessToken }), 400);
    }
    assertUnauthenticated(await people.auth('POST', 'me/delete', { currentPassword: password }));
    assert.deepEqual(resultOf(await remove(people, ann)), {});
    for (const over of [ann, inside]) {
      assertUnauthenticated(await people.me(over.accessToken));
      assertUnauthenticated(await people.refresh(over.refreshToken));
    }
    assertUnauthenticated(await people.tryLogin('ann'));
    assertRefused(await people.manage('GET', `/workspaces/${space}`), 404);
    assert.deepEqual(await totals(people, 'user', 'workspace'), [1, 1]);
    const again = await people.register('ann');
    const { total } = resultOf(
      await people.records('GET', 'user', undefined, { token: again.accessToken }),
    ) as unknown as Listed;
    assert.equal(total, 0);
  });

  it('is refused to the last owner among others; management makes the longest member owner', async () => {
    const people = new People(place.app, 'shop');
    const [ben, cid, dan] = [
      await people.register('ben'),
      await people.register('cid'),
      await people.register('dan'),
    ];
    const space = await people.workspace(ben, 'Together');
    await people.join(space, cid);
    await people.join(space, dan);
    assertRefused(await remove(people, ben), 409, 'Together');
    resultOf(await people.me(ben.accessToken));
    resultOf(await people.manage('DELETE', `/users/${ben.user._id}`));
    const { found } = resultOf(
      await people.manage('GET', `/workspaces/${space}/members`),
    ) as unknown as Listed;
    assert.deepEqual(
      found.map(({ name, role }) => `${name} ${role}`),
      ['cid owner', 'dan member'],
    );
    resultOf(await remove(people, dan)); // no owner
    assertRefused(await people.manage('GET', `/users/${dan.user._id}`), 404);
  });

  it('takes the records along where the project says so, by the rules of relations, however many', async () => {
    const body = { id: 'tidy', auth: { onUserDelete: 'delete' } };
    resultOf(await place.app.call('POST', '/v1/_admin/projects', { body, ...asAdmin }), 201);
    const relation = (onDelete: string) => ({ type: 'relation', to: 'user', onDelete });
    for (const definition of [
      notes('user', 'user'),
      notes('workspace', 'workspace'),
      {
        id: 'links',
        fields: {
          restricted: relation('restrict'),
          cascaded: relation('cascade'),
          cleared: relation('clear'),
        },
        api: { access: 'public' },
      },
    ]) {
      const path = '/v1/_admin/projects/tidy/collections';
      resultOf(await place.app.call('POST', path, { body: definition, ...asAdmin }), 201);
    }
    const people = new People(place.app, 'tidy');
    const [eve, fay] = [await people.register('eve'), await people.register('fay')];
    const inside = await people.switch(eve, await people.workspace(eve, 'Alone'));
    const make = async (collection: string, values: object, { accessToken: token }: SignedIn) =>
      String(resultOf(await people.records('POST', collection, values as never, { token }), 201)._id);
    const [a, b, c, d] = [
      await make('user', { text: 'a' }, eve),
      await make('user', { text: 'b' }, eve),
      await make('user', { text: 'c' }, eve),
      await make('user', { text: 'd' }, eve),
    ];
    await make('workspace', { text: 'x' }, inside);
    await make('user', { text: "fay's" }, fay);
    const { key } = await people.key();
    const asKey = { token: key };
    const links = async (values: object) =>
      resultOf(await people.records('POST', 'links', values as never, asKey), 201);
    await links({ restricted: a }); // nobody's: it holds a back
    await links({ cascaded: b });
    await links({ cleared: c });
    await links({ restricted: d, _owner: eve.user._id }); // goes itself, and then d is free
    for (let nth = 0; nth < 5; nth++) {
      const create = Array.from({ length: 50 }, (_, index) => ({ text: `${nth} ${index}` }));
      resultOf(await people.records('POST', 'user/batch', { create }, { token: eve.accessToken }));
    }
    resultOf(await remove(people, eve));
    await place.app.work();
    const { found } = resultOf(
      await people.records('GET', 'user?fields=text', undefined, asKey),
    ) as unknown as Listed;
    assert.deepEqual(found.map(({ text }) => text).toSorted(), ['a', "fay's"]);
    assert.deepEqual(await totals(people, 'workspace', 'links'), [0, 2]);
    assert.deepEqual(place.app.errors, []);
  });

  it('large records go too, and one that very many refer to', async () => {
    const people = new People(place.app, 'tidy');
    const [hal, before] = [await people.register('hal'), await totals(people, 'user', 'links')];
    const token = hal.accessToken;
    const text = 'long '.repeat(60_000);
    for (let n = 0; n < 25; n++) resultOf(await people.records('POST', 'user', { text }, { token }), 201);
    const { _id } = resultOf(await people.records('POST', 'user', { text: 'known' }, { token }), 201);
    const asKey = { token: (await people.key()).key };
    for (const count of [1_000, 1]) {
      const create = Array.from({ length: count }, () => ({ cascaded: String(_id) }));
      resultOf(await people.records('POST', 'links/batch', { create }, asKey));
    }
    resultOf(await remove(people, hal));
    await place.app.work();
    assert.deepEqual(await totals(people, 'user', 'links'), before);
    assert.deepEqual(place.app.errors, []);
  });

  it('what is left of it is finished after a restart', async () => {
    const people = new People(place.app, 'tidy');
    const gus = await people.register('gus');
    resultOf(await people.records('POST', 'user', { text: 'late' }, { token: gus.accessToken }), 201);
    const engine = place.storage.open();
    const store = await engine.openProject('tidy');
    const how = { records: 'delete', lastOwner: 'replace', now: Date.now() } as const;
    const leaves = () => store.accounts.deleteUser(gus.user._id, how);
    assert.equal(await engine.coordination.announceWork('departures', 'tidy', leaves), true);
    await store.close();
    await engine.close();
    assert.deepEqual(await totals(people, 'user'), [3]);
    await place.app.reopen();
    await place.app.work();
    assert.deepEqual(await totals(people, 'user'), [2]);
    clock += 60_000;
    await place.app.work();
    const coordination = place.storage.open();
    assert.deepEqual(await coordination.coordination.listWork('departures'), []);
    await coordination.close();
  });
});
