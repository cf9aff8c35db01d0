import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Reply } from '../harness.ts';
import type { Listed, Records, Row } from '../support.ts';

/** What a record must hold, whichever of the two schemas it is seen under. */
export interface Kept {
  readonly key: Json;
  readonly size: Json;
  readonly tags: Json;
  readonly label: Json;
}

const service = ['_id', '_createdAt', '_updatedAt'];
const keys = {
  first: [...service, 'key', 'title', 'size', 'tags'].sort().join(),
  second: [...service, 'key', 'name', 'size', 'extra', 'tags'].sort().join(),
};

/** Which schema a record is of: exactly its keys, and values of its types. */
export function schemaOf(row: Row): 'first' | 'second' {
  const seen = Object.keys(row).sort().join();
  const schema = seen === keys.first ? 'first' : 'second';
  assert.equal(seen, keys[schema], 'a record of neither schema');
  const label = schema === 'first' ? row.title : row.name;
  assert.ok(label === null || typeof label === 'string');
  assert.ok(typeof row.key === 'string' && typeof row.size === 'number' && Array.isArray(row.tags));
  if (schema === 'second') assert.equal(row.extra, 'x', 'an extra without its default');
  return schema;
}

/** One client: it alone writes its records, so it knows what each of them must hold. */
export class Requester {
  readonly kept = new Map<string, Kept>();
  readonly schemas = new Set<string>();
  requests = 0;
  readonly #things: Records;
  readonly #name: number;
  #made = 0;

  constructor(things: Records, name: number) {
    this.#things = things;
    this.#name = name;
  }

  async request(): Promise<void> {
    this.requests += 1;
    const turn = this.requests + this.#name;
    switch (turn % 10) {
      case 0:
        return this.#list('?perPage=100&sort=-size');
      case 1:
        return this.#list(turn % 20 === 1 ? '?perPage=20&search=still' : `?perPage=20&after=&sort=key`);
      case 2:
        return this.#view();
      case 3:
      case 4:
        return this.#create();
      case 5:
        return this.#update();
      case 6:
        return this.#delete();
      case 7:
        return this.#search();
      case 8:
        return this.#batch();
      default:
        return turn % 40 === 9 ? this.#export() : this.#view();
    }
  }

  /** undefined: the payload was for the other schema. */
  async #ask(verb: string, rest: string, body?: JsonObject): Promise<Reply | undefined> {
    const reply = await this.#things.call(verb, rest, body);
    if (reply.status < 300) return reply;
    const unknown = reply.status === 400 && /\b(title|name)\b/.test(reply.body.error);
    assert.ok(unknown && body, `${verb} ${rest}: ${reply.status} ${reply.text}`);
    return undefined;
  }

  #note(row: Row, sent: JsonObject): void {
    const label = schemaOf(row) === 'first' ? row.title : row.name;
    this.schemas.add(schemaOf(row));
    for (const [name, value] of Object.entries(sent)) assert.deepEqual(row[name], value);
    const { key, size, tags } = row;
    this.kept.set(row._id, {
      key: key ?? null,
      size: size ?? null,
      tags: tags ?? null,
      label: label ?? null,
    });
  }

  #matches(row: Row): void {
    const label = schemaOf(row) === 'first' ? row.title : row.name;
    const { key, size, tags } = row;
    assert.deepEqual({ key, size, tags, label }, this.kept.get(row._id), 'an acknowledged write is not seen');
  }

  #payload(): JsonObject {
    this.#made += 1;
    const n = this.#made;
    const labelled = [{}, { title: `title ${n}` }, { name: `name ${n}` }][n % 3];
    return { key: `mine-${this.#name}-${n}`, size: n, tags: [`tag${n % 4}`], ...labelled };
  }

  #any(): string | undefined {
    const ids = [...this.kept.keys()];
    return ids[(this.requests * 7) % Math.max(1, ids.length)];
  }

  async #list(query: string): Promise<void> {
    const reply = await this.#ask('GET', query);
    assert.ok(reply);
    const { found } = reply.body.result as unknown as Listed;
    assert.ok(found.length > 0);
    assert.equal(new Set(found.map(schemaOf)).size, 1, 'a mixture in one answer');
  }

  async #export(): Promise<void> {
    // An export that the change overtakes can only break off; what came must be of one schema all the same.
    const reply = await this.#things.call('GET', '/export?format=ndjson').catch(() => undefined);
    if (!reply) return;
    assert.equal(reply.status, 200, reply.text);
    const rows = reply.text.split('\n').filter((line) => line !== '');
    assert.equal(
      new Set(rows.map((line) => schemaOf(JSON.parse(line) as Row))).size,
      1,
      'a mixture in an export',
    );
  }

  async #view(): Promise<void> {
    const id = this.#any();
    if (id === undefined) return;
    this.#matches((await this.#ask('GET', `/${id}`))?.body.result as Row);
  }

  async #search(): Promise<void> {
    const id = this.#any();
    if (id === undefined) return;
    const key = String(this.kept.get(id)?.key);
    const reply = await this.#ask('GET', `?search=${encodeURIComponent(`"${key}"`)}&perPage=100`);
    assert.ok(reply);
    const { found } = reply.body.result as unknown as Listed;
    const hit = found.find(({ _id }) => _id === id);
    assert.ok(hit, `search does not find ${key}`);
    this.#matches(hit);
  }

  async #create(): Promise<void> {
    const body = this.#payload();
    const reply = await this.#ask('POST', '', body);
    if (reply) this.#note(reply.body.result as Row, body);
  }

  async #update(): Promise<void> {
    const id = this.#any();
    if (id === undefined) return;
    const { key, ...body } = this.#payload();
    const reply = await this.#ask('PATCH', `/${id}`, body);
    if (reply) this.#note(reply.body.result as Row, body);
  }

  async #delete(): Promise<void> {
    const id = this.#any();
    if (id === undefined || this.kept.size < 5) return;
    await this.#ask('DELETE', `/${id}`);
    this.kept.delete(id);
    assert.equal((await this.#things.call('GET', `/${id}`)).status, 404);
  }

  async #batch(): Promise<void> {
    const [changed, gone] = this.kept.keys();
    if (changed === undefined || gone === undefined) return;
    const create = [this.#payload(), this.#payload()].map(({ title, name, ...rest }) => rest);
    const patch = { size: this.requests, tags: [] };
    const body = { create, update: [{ _id: changed, ...patch }], delete: [gone] };
    const reply = await this.#ask('POST', '/batch', body);
    assert.ok(reply);
    const { created, updated, deleted } = reply.body.result as unknown as {
      created: Row[];
      updated: Row[];
      deleted: string[];
    };
    assert.equal(new Set([...created, ...updated].map(schemaOf)).size, 1, 'a mixture in one batch');
    for (const [at, row] of created.entries()) this.#note(row, create[at] ?? {});
    for (const row of updated) this.#note(row, patch);
    for (const id of deleted) this.kept.delete(id);
  }
}
