import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Caller, makePlace, type Place } from '../auth/leak-world.ts';
import { People } from '../auth/people.ts';
import { Dice } from '../durability/dice.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { drawn } from '../storage.ts';
import { resultOf } from '../support.ts';
import { type Events, followEvents } from './events.ts';

/**
 * Records of several collections at every level, made, changed, handed over and deleted at random: after each write every
 * caller is told exactly what concerns them, in one feed of all collections, in those of some of them, and in a stream.
 */
const steps = drawn('VITRINE_RUNS', 60, 15);
const fields = { marker: { type: 'text' } };

/** By collection, the level of its `viewAll`; off: its changes are the administrator's alone. */
const levels = { open: 'public', own: 'user', team: 'workspace', mixed: 'workspace', off: 'off' } as const;
const names = Object.keys(levels) as (keyof typeof levels)[];
const definitions = names.map((id) => {
  if (id === 'mixed')
    return { id, fields, api: { access: 'public', methods: { viewAll: { access: 'workspace' } } } };
  if (id === 'off')
    return { id, fields, api: { access: 'public', methods: { changes: { enabled: false } } } };
  return { id, fields, api: { access: levels[id] } };
});

interface Held {
  readonly collection: keyof typeof levels;
  readonly id: string;
  readonly owner: string | null;
  readonly workspace: string | null;
}

interface Followed {
  readonly caller: Caller & { readonly isAdministrator?: boolean };
  readonly stream: Events;
  next: string;
  /** What the stream may tell, in any number up to this. */
  readonly may: Set<string>;
  readonly markers: Set<string>;
}

function sees({ caller }: Followed, { collection, owner, workspace }: Held): boolean {
  const level = levels[collection];
  if (level === 'off') return caller.isAdministrator ?? false;
  if (caller.everything || level === 'public') return true;
  if (caller.user === undefined) return false;
  if (level === 'user') return owner === caller.user;
  return caller.workspace != null && workspace === caller.workspace;
}

describe(`the changes of several collections, for callers of every scope (seed ${seed})`, () => {
  const dice = new Dice(seed);
  const held: Held[] = [];
  const all: Followed[] = [];
  let app: TestApp;
  let place: Place;
  let made = 0;
  before(async () => {
    app = await startApp();
    await app.project('shop', ...definitions);
    place = await makePlace(new People(app, 'shop'));
    const ann = place.callers.find(({ name }) => name === 'ann in South') as Caller;
    const body = { minutes: 60, reason: 'to see what she sees', workspace: ann.workspace ?? '' };
    const acting = await place.people.manage('POST', `/users/${ann.user}/impersonate`, body);
    const callers = [
      ...place.callers,
      { ...ann, name: 'in place of ann in South', token: String(resultOf(acting).accessToken) },
      { name: 'administrator', token: adminKey, everything: true, isAdministrator: true },
    ];
    for (const caller of callers) {
      const { token } = caller;
      const stream = await followEvents(app, '/v1/shop/_changes?after=now', { token });
      const { next } = resultOf(await app.call('GET', '/v1/shop/_changes?after=now', { token }));
      all.push({ caller, stream, next: String(next), may: new Set(), markers: new Set() });
    }
  });
  after(async () => {
    for (const { stream } of all) await stream.close();
    await app.close();
  });

  const write = (verb: string, rest: string, body?: Record<string, string | null>) =>
    place.people.records(verb, rest, body, { token: adminKey });

  /** What it was before and is afterwards. */
  async function step(marker: string): Promise<{ kind: string; before?: Held; now?: Held }> {
    const { owner, workspace } = dice.pick(place.holders) as Held;
    const index = dice.below(held.length);
    const before = held[index];
    if (!before || dice.chance(35)) {
      const collection = dice.pick(names) as Held['collection'];
      const body = { marker, _owner: owner, _workspace: workspace };
      const id = String(resultOf(await write('POST', collection, body), 201)._id);
      const now = { collection, id, owner, workspace };
      held.push(now);
      return { kind: 'create', now };
    }
    const path = `${before.collection}/${before.id}`;
    if (dice.chance(20)) {
      resultOf(await write('DELETE', path));
      held.splice(index, 1);
      return { kind: 'delete', before };
    }
    const handed = dice.chance(60) ? { owner, workspace } : {};
    const now = { ...before, ...handed };
    const bound = 'owner' in handed ? { _owner: owner, _workspace: workspace } : {};
    resultOf(await write('PATCH', path, { marker, ...bound }));
    held[index] = now;
    return { kind: 'update', before, now };
  }

  async function look(
    followed: Followed,
    collections: readonly string[],
    expected: readonly string[],
  ): Promise<string> {
    const { caller, next, markers } = followed;
    const query = collections.length > 0 ? `&collections=${collections.join(',')}` : '';
    const { token } = caller;
    const reply = await app.call('GET', `/v1/shop/_changes?after=${next}${query}`, { token });
    const page = resultOf(reply) as unknown as { next: string; changes: Record<string, unknown>[] };
    const told = page.changes.map(({ kind, collection, _id }) => `${kind} ${collection} ${_id}`);
    const wanted = expected.filter((one) => query === '' || collections.includes(one.split(' ')[1] ?? ''));
    assert.deepEqual(told, wanted, `${caller.name} ${query}`);
    for (const marker of reply.text.match(/mk\d+z/g) ?? []) {
      assert.ok(markers.has(marker), `${caller.name} got ${reply.text}`);
    }
    return page.next;
  }

  it('each is told what concerns them, and nothing else', { timeout: 600_000 }, async () => {
    for (let count = 0; count < steps; count++) {
      const marker = `mk${++made}z`;
      const { kind, before, now } = await step(marker);
      for (const followed of all) {
        const { may, markers } = followed;
        const [saw, does] = [before && sees(followed, before), now && sees(followed, now)];
        const one = now ?? (before as Held);
        const shown = does ? kind : saw ? 'delete' : undefined;
        const expected = shown ? [`${shown} ${one.collection} ${one.id}`] : [];
        for (const told of expected) may.add(told);
        if (does) markers.add(marker);
        const usable = names.filter((name) => isUsable(followed.caller, name));
        await look(followed, dice.some(usable, 3), expected);
        followed.next = await look(followed, [], expected);
      }
    }
    const last = String(resultOf(await write('POST', 'open', { marker: 'mk0z' }), 201)._id);
    for (const { caller, stream, may, markers } of all) {
      await stream.next(({ data }) => data?._id === last);
      for (const { data } of stream.seen) {
        if (data === undefined || data._id === last) continue;
        const told = `${data.kind} ${data.collection} ${data._id}`;
        assert.ok(may.has(told), `${caller.name} was told ${told}`);
        const { marker } = (data.record ?? {}) as { marker?: string };
        assert.ok(marker === undefined || markers.has(marker), `${caller.name} got ${marker}`);
      }
    }
    assert.deepEqual(app.errors, []);
  });

  it('a collection that a caller may not use is refused as View All would', async () => {
    for (const { caller } of all) {
      const { token } = caller;
      for (const name of names) {
        if (isUsable(caller, name)) continue;
        const reply = await app.call('GET', `/v1/shop/_changes?after=now&collections=open,${name}`, {
          token,
        });
        const view = await app.call('GET', `/v1/shop/${name}`, { token });
        assert.equal(reply.status, name === 'off' ? 404 : view.status, `${caller.name}: ${reply.text}`);
      }
    }
  });
});

function isUsable(caller: Followed['caller'], name: keyof typeof levels): boolean {
  const level = levels[name];
  if (level === 'off') return caller.isAdministrator ?? false;
  if (level === 'public' || caller.everything) return true;
  if (caller.user === undefined) return false;
  return level === 'user' || caller.workspace != null;
}
