import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CallOptions, Reply } from '../harness.ts';
import { asAdmin, type Listed, type Row, resultOf } from '../support.ts';
import {
  type Holder,
  type Level,
  type Method,
  makeSettings,
  makeWorld,
  methods,
  type Setting,
  type Who,
  type World,
} from './matrix-world.ts';
import { assertUnauthenticated, Clock, type Place, startPlace } from './people.ts';

/** The changes have the level of View All. */
type Probed = Method | 'changes';
const probed: readonly Probed[] = [...methods, 'changes'];
const reading: ReadonlySet<Probed> = new Set(['viewAll', 'view', 'distinct', 'changes']);
const levelOf = ({ level }: Setting, method: Probed) => level[method === 'changes' ? 'viewAll' : method];

/** The status of a refusal; undefined where the caller is let in. */
function refusal(who: Who, method: Probed, level: Level): number | undefined {
  if (who.kind === 'refused') return who.status;
  if (who.kind === 'reader') return reading.has(method) ? undefined : 403;
  if (level === 'public' || who.kind === 'everything') return undefined;
  if (who.kind === 'nobody') return 401;
  return level === 'workspace' && who.workspace === null ? 403 : undefined;
}

/** The records a caller who is let in sees and changes. */
function inScope(who: Who, level: Level, holder: Holder): boolean {
  if (level === 'public' || who.kind === 'everything' || who.kind === 'reader') return true;
  if (who.kind !== 'user') return false;
  return level === 'user' ? holder.owner === who.user : holder.workspace === who.workspace;
}

/** What one cell of the matrix comes to: a status a request, and which records it showed or touched. */
interface Outcome {
  readonly status: number | Record<string, number>;
  readonly records: readonly string[];
  readonly bound?: Holder;
}

function expected(world: World, who: Who, method: Probed, level: Level): Outcome {
  const refused = refusal(who, method, level);
  const tags = Object.keys(world.holders).sort();
  const each = (status: (tag: string) => number) => Object.fromEntries(tags.map((tag) => [tag, status(tag)]));
  const single = method === 'view' || method === 'update' || method === 'delete';
  if (refused !== undefined) return { status: single ? each(() => refused) : refused, records: [] };
  if (method === 'create') {
    const bound =
      who.kind === 'user' ? { owner: who.user, workspace: who.workspace } : { owner: null, workspace: null };
    return { status: 201, records: ['new'], bound };
  }
  const scope = (tag: string) => inScope(who, level, world.holders[tag] as Holder);
  const records = tags.filter(scope);
  return { status: single ? each((tag) => (scope(tag) ? 200 : 404)) : 200, records };
}

interface Page {
  readonly next: string;
  readonly upToDate: boolean;
  readonly changes: readonly { readonly _id: string | null; readonly record: Row | null }[];
}

/** Does in one collection what a cell says, and looks with the administrator's eyes at what came of it. */
class Probe {
  readonly #world: World;
  readonly #id: string;
  /** By tag. */
  readonly #ids = new Map<string, string>();
  /** By id, also of what was deleted. */
  readonly #tags = new Map<string, string>();
  #stamp = 0;

  constructor(world: World, { id }: Setting) {
    this.#world = world;
    this.#id = id;
  }

  async fill(): Promise<void> {
    const missing = Object.entries(this.#world.holders).filter(([tag]) => !this.#ids.has(tag));
    await Promise.all(
      missing.map(async ([tag, { owner, workspace }]) => {
        const body = { tag, _owner: owner, _workspace: workspace };
        const id = String(resultOf(await this.#send('POST', '', asAdmin, body), 201)._id);
        this.#ids.set(tag, id);
        this.#tags.set(id, tag);
      }),
    );
  }

  async run(method: Probed, sends: CallOptions): Promise<Outcome> {
    switch (method) {
      case 'viewAll': {
        const reply = await this.#send('GET', '?perPage=1000', sends);
        if (reply.status !== 200) return { status: reply.status, records: [] };
        const { found, total } = resultOf(reply) as unknown as Listed;
        assert.equal(total, found.length);
        for (const { _id, tag } of found) assert.equal(_id, this.#ids.get(String(tag)));
        return { status: 200, records: found.map(({ tag }) => String(tag)).sort() };
      }
      case 'distinct': {
        const reply = await this.#send('GET', '/distinct?fields=tag', sends);
        if (reply.status !== 200) return { status: reply.status, records: [] };
        return { status: 200, records: [...(resultOf(reply).tag as string[])].sort() };
      }
      case 'changes':
        return this.#changes(sends);
      case 'create': {
        const reply = await this.#send('POST', '', sends, { tag: 'new' });
        const made = await this.#all('tag=new&fields=tag,_owner,_workspace');
        const [record] = made;
        if (!record) return { status: reply.status, records: [] };
        assert.equal(resultOf(reply, 201)._id, record._id);
        await this.#send('DELETE', `/${record._id}`, asAdmin);
        const bound = { owner: record._owner, workspace: record._workspace } as Holder;
        return { status: reply.status, records: made.map(({ tag }) => String(tag)), bound };
      }
      case 'view':
        return this.#each((id) => this.#send('GET', `/${id}`, sends));
      case 'update': {
        this.#stamp += 1;
        const note = `change ${this.#stamp}`;
        const outcome = await this.#each((id) => this.#send('PATCH', `/${id}`, sends, { note }));
        const changed = (await this.#all('')).filter((row) => row.note === note);
        assert.deepEqual(changed.map(({ tag }) => tag).sort(), outcome.records, 'what was changed');
        return outcome;
      }
      case 'delete': {
        const outcome = await this.#each((id) => this.#send('DELETE', `/${id}`, sends));
        const left = new Set((await this.#all('')).map(({ tag }) => tag));
        const gone = [...this.#ids.keys()].filter((tag) => !left.has(tag));
        assert.deepEqual(gone.sort(), outcome.records, 'what was deleted');
        for (const tag of gone) this.#ids.delete(tag);
        await this.fill();
        return outcome;
      }
    }
  }

  /** All of the log. Whose deletion is told was in scope too: there is another record like it by now. */
  async #changes(sends: CallOptions): Promise<Outcome> {
    const [shown, gone] = [new Set<string>(), new Set<string>()];
    for (let after = '', upToDate = false; !upToDate; ) {
      const reply = await this.#send('GET', `/_changes?perPage=1000&after=${after}`, sends);
      if (reply.status !== 200) return { status: reply.status, records: [] };
      const page = resultOf(reply) as unknown as Page;
      for (const { _id, record } of page.changes) {
        const tag = this.#tags.get(String(_id));
        if (tag !== undefined) (record ? shown : gone).add(tag);
        if (record) assert.deepEqual([_id, record._id, record.tag], [this.#ids.get(tag ?? ''), _id, tag]);
      }
      after = page.next;
      upToDate = page.upToDate;
    }
    assert.deepEqual(
      [...gone].filter((tag) => !shown.has(tag)),
      [],
      'whose deletion was told',
    );
    return { status: 200, records: [...shown].sort() };
  }

  /** One request a record; `records` are those for which it succeeded. */
  async #each(send: (id: string) => Promise<Reply>): Promise<Outcome> {
    const sent = [...this.#ids].sort().map(async ([tag, id]) => ({ tag, id, reply: await send(id) }));
    const replies = await Promise.all(sent);
    const good = replies.filter(({ reply }) => reply.status === 200);
    for (const { tag, id, reply } of good) {
      const { _id, tag: shown = tag } = resultOf(reply);
      assert.deepEqual([_id, shown], [id, tag]);
    }
    return {
      status: Object.fromEntries(replies.map(({ tag, reply }) => [tag, reply.status])),
      records: good.map(({ tag }) => tag),
    };
  }

  async #all(query: string): Promise<Row[]> {
    const reply = await this.#send('GET', `?perPage=1000&${query}`, asAdmin);
    return (resultOf(reply) as unknown as Listed).found;
  }

  async #send(verb: string, rest: string, sends: CallOptions, body?: { [name: string]: string | null }) {
    const reply = await this.#world.people.records(verb, `${this.#id}${rest}`, body, sends);
    if (reply.status === 401) assertUnauthenticated(reply);
    else if (reply.status > 299) assert.deepEqual(Object.keys(reply.body), ['ok', 'error'], reply.text);
    return reply;
  }
}

describe('who may do what with which records', () => {
  const clock = new Clock();
  let place: Place;
  let world: World;
  before(async () => {
    place = await startPlace({ now: clock.now });
    world = await makeWorld(place, clock);
  });
  after(() => place.close());

  for (const setting of makeSettings()) {
    describe(setting.sentence, () => {
      let probe: Probe;
      before(async () => {
        resultOf(await world.people.manage('POST', '/collections', setting.definition), 201);
        probe = new Probe(world, setting);
        await probe.fill();
      });
      for (const method of probed) {
        it(`${method}, at level ${levelOf(setting, method)}, for every caller`, async () => {
          const cells: Record<string, Outcome> = {};
          const should: Record<string, Outcome> = {};
          for (const [name, { who, sends }] of world.callers) {
            cells[name] = await probe.run(method, sends);
            should[name] = expected(world, who, method, levelOf(setting, method));
          }
          assert.deepEqual(cells, should);
          assert.deepEqual(place.app.errors, []);
        });
      }
    });
  }
});
