import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../src/model/json.ts';
import { type Reply, startApp, type TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { drawn } from '../storage.ts';
import { type Listed, resultOf, strangerId } from '../support.ts';
import {
  type Caller,
  type Draw,
  type Drawn,
  draws,
  makePlace,
  type Place,
  type Stored,
  seen,
  store,
} from './leak-world.ts';
import type { Method } from './matrix-world.ts';
import { People } from './people.ts';

const runs = drawn('VITRINE_RUNS', 15, 6);

const markers = (records: readonly Stored[]) => records.map(({ marker }) => marker).sort();
const listOf = (visible: readonly Stored[] | number) => (typeof visible === 'number' ? [] : visible);

interface ChangesPage {
  readonly next: string;
  readonly upToDate: boolean;
  readonly changes: readonly {
    readonly _id: string | null;
    readonly record: { readonly marker: string } | null;
  }[];
}

/** One caller at work in one drawn project. */
class Look {
  readonly #place: Place;
  readonly #drawn: Drawn;
  readonly #draw: Draw;
  readonly #caller: Caller;

  constructor(place: Place, draw: Draw, drawn: Drawn, caller: Caller) {
    this.#place = place;
    this.#draw = draw;
    this.#drawn = drawn;
    this.#caller = caller;
  }

  async everything(): Promise<void> {
    for (const name of ['a', 'b'] as const) {
      await this.#reads(name);
      await this.#outOfScope(name);
      await this.#conflicts(name);
    }
    await this.#include();
    await this.#pinned();
  }

  #seen(name: 'a' | 'b', method: Method): readonly Stored[] | number {
    if (this.#caller.reads && ['create', 'update', 'delete'].includes(method)) return 403;
    return seen(this.#caller, this.#draw.levels[name][method], this.#drawn.records[name]);
  }

  /** Every answer comes through here: it holds the markers of these records, or fewer, and no others. */
  async #ask(
    verb: string,
    rest: string,
    { body, may = [] }: { body?: Json; may?: readonly Stored[] } = {},
  ): Promise<Reply> {
    const { impersonation, name } = this.#caller;
    const token = (this.#draw.impersonated ? impersonation : undefined) ?? this.#caller.token;
    const reply = await this.#place.people.records(verb, rest, body, token === undefined ? {} : { token });
    assert.notEqual(reply.status, 500, `${verb} ${rest}`);
    const held = `${reply.text} ${[...reply.headers.values()].join(' ')}`.match(/mk[a-z]+\d\dx\d{4}z/g) ?? [];
    const allowed = new Set(reply.body.ok ? markers(may) : []);
    const leaked = held.filter((marker) => !allowed.has(marker));
    assert.deepEqual(leaked, [], `${name}: ${verb} ${rest} shows ${leaked.join()}: ${reply.text}`);
    return reply;
  }

  async #list(name: 'a' | 'b', query: string): Promise<Listed | undefined> {
    const visible = this.#seen(name, 'viewAll');
    const reply = await this.#ask('GET', `${this.#drawn.ids[name]}?${query}`, { may: listOf(visible) });
    if (typeof visible !== 'number') return resultOf(reply) as unknown as Listed;
    assert.equal(reply.status, visible, reply.text);
    return undefined;
  }

  /** The set of records through each road, and that it is the same where the levels are. */
  async #reads(name: 'a' | 'b'): Promise<void> {
    const all = this.#drawn.records[name];
    const roads = {
      viewAll: await this.#walk(name),
      search: await this.#findEach(name, ({ marker }) => `search=${marker}`),
      content: await this.#findEach(name, ({ marker }) => `search=${encodeURIComponent(`"TEXT ${marker}"`)}`),
      filter: await this.#findEach(name, ({ marker }) => `marker=${marker}`),
      id: await this.#findEach(name, ({ id }) => `_id=${id}`),
      view: await this.#viewEach(name),
      distinct: await this.#distinct(name),
      changes: await this.#changes(name),
    };
    const { viewAll, view, distinct } = this.#draw.levels[name];
    const by = { viewAll: listOf(this.#seen(name, 'viewAll')), view: listOf(this.#seen(name, 'view')) };
    for (const road of ['viewAll', 'search', 'content', 'filter', 'id', 'changes'] as const) {
      assert.deepEqual(roads[road], markers(by.viewAll), `${this.#caller.name}: ${road} of ${name}`);
    }
    assert.deepEqual(roads.view, markers(by.view), `${this.#caller.name}: view of ${name}`);
    assert.deepEqual(roads.distinct, markers(listOf(this.#seen(name, 'distinct'))));
    if (viewAll === view && view === distinct) {
      for (const road of Object.values(roads)) assert.deepEqual(road, roads.viewAll);
    }
    if (this.#caller.everything) assert.deepEqual(roads.viewAll, markers(all));
  }

  async #walk(name: 'a' | 'b'): Promise<string[]> {
    const found: string[] = [];
    for (let page = 1, pages = 1; page <= pages; page++) {
      const listed = await this.#list(name, `perPage=3&page=${page}&sort=-marker`);
      if (!listed) return [];
      pages = listed.totalPages;
      found.push(...listed.found.map(({ marker }) => String(marker)));
      assert.equal(listed.total, listOf(this.#seen(name, 'viewAll')).length, 'total');
    }
    return found.sort();
  }

  async #findEach(name: 'a' | 'b', query: (record: Stored) => string): Promise<string[]> {
    const found: string[] = [];
    for (const record of this.#drawn.records[name]) {
      const listed = await this.#list(name, query(record));
      assert.equal(listed?.total ?? 0, listed?.found.length ?? 0);
      found.push(...(listed?.found ?? []).map(({ marker }) => String(marker)));
    }
    return found.sort();
  }

  async #viewEach(name: 'a' | 'b'): Promise<string[]> {
    const visible = this.#seen(name, 'view');
    const found: string[] = [];
    for (const record of this.#drawn.records[name]) {
      const reply = await this.#ask('GET', `${this.#drawn.ids[name]}/${record.id}`, { may: listOf(visible) });
      const refused = typeof visible === 'number' ? visible : 404;
      if (reply.status === 200) found.push(String(resultOf(reply).marker));
      else assert.equal(reply.status, refused, reply.text);
    }
    return found.sort();
  }

  async #distinct(name: 'a' | 'b'): Promise<string[]> {
    const visible = this.#seen(name, 'distinct');
    const path = `${this.#drawn.ids[name]}/distinct?fields=marker`;
    const reply = await this.#ask('GET', path, { may: listOf(visible) });
    if (typeof visible !== 'number') return [...(resultOf(reply).marker as string[])].sort();
    assert.equal(reply.status, visible);
    return [];
  }

  /** The log tells of the records of View All, and of no other one so much as that it was changed. */
  async #changes(name: 'a' | 'b'): Promise<string[]> {
    const visible = this.#seen(name, 'viewAll');
    const found: string[] = [];
    for (let after = '', upToDate = false; !upToDate; ) {
      const path = `${this.#drawn.ids[name]}/_changes?perPage=5&after=${after}`;
      const reply = await this.#ask('GET', path, { may: listOf(visible) });
      assert.equal(reply.status, typeof visible === 'number' ? visible : 200, reply.text);
      if (typeof visible === 'number') return [];
      const page = resultOf(reply) as unknown as ChangesPage;
      for (const { _id, record } of page.changes) {
        if (_id === null) continue; // the collection is new
        assert.ok(record, `${this.#caller.name}: ${_id} is gone`);
        found.push(String(record.marker));
      }
      after = page.next;
      upToDate = page.upToDate;
    }
    return found.sort();
  }

  /** From a public collection, through relations one and two deep: what `view` shows, and no more. */
  async #include(): Promise<void> {
    const { ids, records } = this.#drawn;
    const mayA = new Set(listOf(this.#seen('a', 'view')));
    const mayB = new Set(listOf(this.#seen('b', 'view')));
    const toA = records.hub.flatMap((record) => record.toA).filter((record) => mayA.has(record));
    const toB = records.hub.flatMap((record) => record.toB).filter((record) => mayB.has(record));
    const deep = toA.flatMap((record) => record.toB).filter((record) => mayB.has(record));
    const may = [...records.hub, ...toA, ...toB, ...deep];
    const reply = await this.#ask('GET', `${ids.hub}?include=toA,toB,toA.toB&perPage=1000`, { may });
    const { _include, total } = resultOf(reply) as unknown as Listed;
    assert.equal(total, records.hub.length);
    for (const [path, expected] of Object.entries({ toA, toB, 'toA.toB': deep })) {
      const included = (_include[path] ?? []).map(({ marker }) => String(marker)).sort();
      assert.deepEqual(included, markers([...new Set(expected)]), `${this.#caller.name}: include ${path}`);
    }
  }

  /** To the caller a record out of scope is one that does not exist: byte for byte, but for the id. */
  async #outOfScope(name: 'a' | 'b'): Promise<void> {
    const { ids, records } = this.#drawn;
    const path = ids[name];
    const taken = records[name][0]?.code ?? '';
    const requests: [Method, string, (id: string) => string, (id: string) => Json | undefined][] = [
      ['view', 'GET', (id) => `${path}/${id}`, () => undefined],
      ['update', 'PATCH', (id) => `${path}/${id}`, () => ({ body: 'stolen' })],
      ['update', 'PATCH', (id) => `${path}/${id}`, () => ({ code: taken })],
      ['update', 'PATCH', (id) => `${path}/${id}`, () => ({ nonsense: 1 })],
      ['delete', 'DELETE', (id) => `${path}/${id}`, () => undefined],
      ['view', 'POST', () => ids.hub, (id) => (name === 'a' ? { toA: id } : { toB: [id] })],
      ['view', 'POST', () => ids.pins, (id) => (name === 'a' ? { pin: id } : { nonsense: id })],
    ];
    for (const [method, verb, rest, body] of requests) {
      const visible = this.#seen(name, method);
      const hidden = records[name].filter((record) => !listOf(visible).includes(record));
      const plain = async (id: string) => {
        const sent = body(id);
        const reply = await this.#ask(verb, rest(id), sent === undefined ? {} : { body: sent });
        assert.ok(reply.status >= 400, `${this.#caller.name}: ${verb} ${rest(id)}: ${reply.text}`);
        return `${reply.status} ${JSON.stringify([...reply.headers])} ${reply.text}`.replaceAll(id, '<id>');
      };
      for (const { id } of hidden) assert.equal(await plain(id), await plain(strangerId));
    }
  }

  /** A unique value that somebody else's record has: refused, and nothing is told of that record. */
  async #conflicts(name: 'a' | 'b'): Promise<void> {
    const visible = this.#seen(name, 'create');
    for (const { id, code } of this.#drawn.records[name]) {
      const reply = await this.#ask('POST', this.#drawn.ids[name], { body: { code } });
      assert.equal(reply.status, typeof visible === 'number' ? visible : 409, reply.text);
      assert.ok(!reply.text.includes(id), reply.text);
    }
  }

  /** A record that others, unseen, keep from being deleted: nothing is told of them. */
  async #pinned(): Promise<void> {
    const may = listOf(this.#seen('a', 'delete'));
    for (const pin of this.#drawn.records.pins) {
      for (const record of pin.toA.filter((pinned) => may.includes(pinned))) {
        const reply = await this.#ask('DELETE', `${this.#drawn.ids.a}/${record.id}`);
        assert.equal(reply.status, 409, reply.text);
        assert.ok(!reply.text.includes(pin.id), reply.text);
      }
    }
  }
}

describe('nothing is seen by any road but what may be', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp();
    await app.project('shop');
  });
  after(() => app.close());

  it(`in random projects, by every caller (VITRINE_SEED=${seed})`, { timeout: 600_000 }, async () => {
    console.log(`leak: VITRINE_SEED=${seed}, ${runs} projects`);
    const place = await makePlace(new People(app, 'shop'));
    let run = 0;
    const property = fc.asyncProperty(draws, async (draw) => {
      run += 1;
      const drawn = await store(place, draw, run);
      for (const caller of place.callers) await new Look(place, draw, drawn, caller).everything();
      assert.deepEqual(app.errors, []);
    });
    await fc.assert(property, { seed, numRuns: runs });
  });
});
