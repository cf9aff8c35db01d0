import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/model/json.ts';
import { adminKey } from '../admin-key.ts';
import type { Dice } from '../durability/dice.ts';
import { pause, strangerId } from '../support.ts';
import type { Row } from './follower.ts';
import type { Nodes } from './nodes.ts';

const fields: JsonObject = { n: { type: 'number' }, owner: { type: 'text' }, space: { type: 'text' } };

const definitions = [
  { id: 'open', fields, api: { access: 'public' } },
  { id: 'own', fields, api: { access: 'user' } },
  { id: 'team', fields, api: { access: 'workspace' } },
  {
    id: 'parts',
    fields: {
      ...fields,
      of: { type: 'relation', to: 'own', onDelete: 'cascade' },
      see: { type: 'relation', to: 'open' },
    },
    api: { access: 'user' },
  },
];

export interface Person {
  readonly id: string;
  readonly token: string;
  readonly space: string;
}

interface Answer {
  readonly status: number;
  readonly result: Record<string, unknown>;
}

/** What a write may be answered, whatever goes on: never that something is broken. */
const expected = new Set([200, 201, 400, 401, 403, 404, 409, 503]);
/** Records of a collection beyond which more are deleted than made: each is read anew many times. */
const most = 300;
/** Operations of one batch. */
const batch = 80;

/** One project, its people, and writers who do whatever they like there. */
export class ModelWorld {
  readonly #nodes: Nodes;
  readonly #dice: Dice;
  readonly people: Person[] = [];
  readonly #spaces: string[] = [];
  readonly #ids = new Map<string, string[]>(definitions.map(({ id }) => [id, []]));
  key = '';
  /** Of the first person, held by the administrator. */
  impersonating = '';
  /** Changes that were answered. */
  written = 0;
  /** Batches that were refused after they had begun. */
  refused = 0;
  /** How often memberships have changed: odd while one does. */
  rights = 0;
  #count = 0;
  #writes = 0;

  constructor(nodes: Nodes, dice: Dice) {
    this.#nodes = nodes;
    this.#dice = dice;
  }

  async fill(): Promise<void> {
    const made = await this.#call('POST', '/v1/_admin/projects', { id: 'p' });
    assert.equal(made.status, 201);
    await this.#admin('PATCH', '', { auth: { accessTokenMinutes: 24 * 60 } });
    for (const definition of definitions) await this.#admin('POST', '/collections', definition as JsonObject);
    for (const name of ['A', 'B']) {
      this.#spaces.push(String((await this.#admin('POST', '/workspaces', { name })).result._id));
    }
    for (const [index, name] of ['ann', 'ben', 'cid'].entries()) {
      const account = { email: `${name}@example.com`, password: 'correct horse' };
      const { user } = (await this.#call('POST', '/v1/p/_auth/register', account)).result;
      const { _id: id } = user as { _id: string };
      const space = this.#spaces[index % 2] as string;
      await this.#admin('POST', `/workspaces/${space}/members`, { user: id, role: 'member' });
      const { result } = await this.#call('POST', '/v1/p/_auth/login', account);
      this.people.push({ id, token: String(result.accessToken), space });
    }
    this.key = String((await this.#admin('POST', '/keys', { name: 'k' })).result.key);
    await this.#impersonate();
  }

  /** One request, or some at the same time. */
  async write(): Promise<void> {
    const { id: collection } = this.#pick(definitions);
    const known = this.#ids.get(collection) ?? [];
    const kind = this.#dice.below(100);
    if (known.length < 20) return this.#createMany(collection, known);
    this.#writes += 1;
    if (this.#writes % 8 === 0) return this.#abort(collection, known);
    if (kind < 30 && known.length < most) return this.#createMany(collection, known);
    if (kind < 60) return this.#updateMany(collection, known);
    if (kind < 75) return this.#deleteMany(collection, known);
    await Promise.all(Array.from({ length: 16 }, () => this.#writeOne(collection, known)));
  }

  /** Somebody leaves a workspace, or comes back to it. */
  async changeRights(): Promise<void> {
    const { id, space } = this.#pick(this.people);
    this.rights += 1;
    const answers = [await this.#admin('DELETE', `/workspaces/${space}/members/${id}`)];
    if (answers[0]?.status !== 200)
      answers.push(await this.#admin('POST', `/workspaces/${space}/members`, { user: id, role: 'member' }));
    await this.#impersonate();
    // What nobody answered for may be done a moment later: not later than what is asked for from now on.
    if (answers.some(({ status }) => status === 0 || status === 503)) await this.#others(10);
    this.rights += 1;
  }

  /** So many other writes, one after the other, and a while. */
  async #others(count: number): Promise<void> {
    for (let done = 0; done < count; ) {
      const { status, result } = await this.#call('POST', '/v1/p/open', this.#payload('open'));
      if (status !== 201) continue;
      done += 1;
      this.written += 1;
      this.#ids.get('open')?.push(String(result._id));
    }
    await pause(500);
  }

  async changeSchema(): Promise<void> {
    const { id, api, fields: own } = this.#pick(definitions);
    const more = this.#dice.chance(50) ? { extra: { type: 'text' } } : {};
    const path = `/collections/${id}?confirm=destructive`;
    await this.#admin('PUT', path, { id, api, fields: { ...own, ...more } } as JsonObject);
  }

  /** The first person, while they are a member. */
  async #impersonate(): Promise<void> {
    const person = this.people[0] as Person;
    const body = { minutes: 60, reason: 'to help', workspace: person.space };
    const { status, result } = await this.#admin('POST', `/users/${person.id}/impersonate`, body);
    if (status === 200 || status === 201) this.impersonating = String(result.accessToken);
  }

  async #createMany(collection: string, known: string[]): Promise<void> {
    const create = this.#times(() => this.#payload(collection));
    const { status, result } = await this.#batch(collection, { create });
    if (status !== 200) return;
    this.written += create.length;
    known.push(...(result.created as Row[]).map(({ _id }) => _id));
  }

  async #updateMany(collection: string, known: readonly string[]): Promise<void> {
    const update = this.#times(() => ({ _id: this.#pick(known), ...this.#payload(collection) }));
    const { status } = await this.#batch(collection, { update });
    if (status === 200) this.written += update.length;
  }

  async #deleteMany(collection: string, known: string[]): Promise<void> {
    const ids = this.#times(() => known.splice(this.#dice.below(known.length), 1)).flat();
    const { status } = await this.#batch(collection, { delete: ids });
    if (status === 200) this.written += ids.length;
    else if (status !== 404) known.push(...ids); // one of them may be gone: by a cascade
  }

  /** All but the last of it is done when that is found wrong. */
  async #abort(collection: string, known: readonly string[]): Promise<void> {
    const create = this.#times(() => this.#payload(collection));
    const update = [
      ...this.#times(() => ({ _id: this.#pick(known), ...this.#payload(collection) })),
      { _id: strangerId, n: 1 },
    ];
    const { status } = await this.#batch(collection, { create, update });
    assert.notEqual(status, 200);
    if (status === 404) this.refused += 1;
  }

  async #writeOne(collection: string, known: string[]): Promise<void> {
    const path = `/v1/p/${collection}`;
    const kind = this.#dice.below(4);
    if (kind === 0) {
      const { status, result } = await this.#call('POST', path, this.#payload(collection));
      if (status !== 201) return;
      known.push(String(result._id));
    } else if (kind === 1) {
      const [id] = known.splice(this.#dice.below(known.length), 1);
      if ((await this.#call('DELETE', `${path}/${id}`)).status !== 200) return;
    } else {
      // Their own ones, which stay theirs; what is not theirs is refused.
      const [token, body] =
        kind === 2
          ? [this.#pick(this.people).token, { n: ++this.#count }]
          : [this.key, this.#payload(collection)];
      if ((await this.#call('PATCH', `${path}/${this.#pick(known)}`, body, token)).status !== 200) return;
    }
    this.written += 1;
  }

  /** What a record says of itself is always what it is bound to: so whoever gets one can tell whether they may. */
  #payload(collection: string): JsonObject {
    const { id } = this.#pick(this.people);
    const space = this.#pick(this.#spaces);
    const values = { n: ++this.#count, owner: id, space, _owner: id, _workspace: space };
    if (collection !== 'parts') return values;
    const one = (of: string, percent: number) =>
      (this.#dice.chance(percent) && this.#dice.pick(this.#ids.get(of) ?? [])) || null;
    return { ...values, see: one('open', 20), of: one('own', 50) };
  }

  #batch(collection: string, body: JsonObject): Promise<Answer> {
    return this.#call('POST', `/v1/p/${collection}/batch`, body, this.#dice.chance(50) ? adminKey : this.key);
  }

  #admin(verb: string, path: string, body?: JsonObject): Promise<Answer> {
    return this.#call(verb, `/v1/_admin/projects/p${path}`, body);
  }

  /** Status 0: nobody knows what became of it. */
  async #call(verb: string, path: string, body?: JsonObject, token = adminKey): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = { method: verb, headers, ...(body && { body: JSON.stringify(body) }) };
    let [status, text] = [0, ''];
    try {
      const response = await this.#nodes.fetch(path, init);
      text = await response.text();
      status = response.status;
    } catch {
      await pause(50);
      return { status: 0, result: {} };
    }
    assert.ok(expected.has(status), `${verb} ${path}: ${status} ${text}`);
    if (status === 503) await pause(50);
    return { status, result: status < 300 ? JSON.parse(text).result : {} };
  }

  #times<T>(make: () => T): T[] {
    return Array.from({ length: 1 + this.#dice.below(batch) }, make);
  }

  #pick<T>(from: readonly T[]): T {
    return this.#dice.pick(from) as T;
  }
}
