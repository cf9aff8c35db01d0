import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../src/model/json.ts';
import { adminKey } from './admin-key.ts';
import type { CallOptions, Reply, TestApp } from './harness.ts';

export type Row = { _id: string; _createdAt: string; _updatedAt: string } & Record<string, Json>;

export interface Listed {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  readonly totalPages: number;
  readonly found: Row[];
  readonly _include: Record<string, Row[]>;
}

export const asAdmin: CallOptions = { token: adminKey };

/** An `_id` that no record has. */
export const strangerId = '01890000-0000-7000-8000-000000000000';

/** The answer is a refusal: this status, the exact envelope, and a message with all of these parts. */
export function assertRefused(reply: Reply, status: number, ...parts: readonly (string | RegExp)[]): void {
  assert.equal(reply.status, status, reply.text);
  assert.deepEqual(Object.keys(reply.body), ['ok', 'error'], reply.text);
  assert.equal(reply.body.ok, false);
  for (const part of parts) {
    if (typeof part === 'string') assert.ok(reply.body.error.includes(part), `${reply.text} lacks ${part}`);
    else assert.match(reply.body.error, part);
  }
}

/** The answer is a success: this status and the exact envelope. */
export function resultOf(reply: Reply, status = 200): Record<string, unknown> {
  assert.equal(reply.status, status, reply.text);
  assert.deepEqual(Object.keys(reply.body), ['ok', 'result'], reply.text);
  assert.equal(reply.body.ok, true);
  return reply.body.result;
}

/** The operations of one collection. `call` and its like give the reply; the others insist on success. */
export class Records {
  readonly path: string;
  readonly #app: TestApp;
  readonly #options: CallOptions;

  constructor(app: TestApp, path: string, options: CallOptions = {}) {
    this.#app = app;
    this.path = path;
    this.#options = options;
  }

  call(verb: string, rest: string, body?: Json): Promise<Reply> {
    return this.#app.call(verb, `${this.path}${rest}`, { ...this.#options, body });
  }

  async create(body: JsonObject): Promise<Row> {
    return resultOf(await this.call('POST', '', body), 201) as Row;
  }

  /** One after the other, so that their order is known. */
  async createAll(bodies: readonly JsonObject[]): Promise<Row[]> {
    const rows: Row[] = [];
    for (const body of bodies) rows.push(await this.create(body));
    return rows;
  }

  async view(id: string): Promise<Row> {
    return resultOf(await this.call('GET', `/${id}`)) as Row;
  }

  async update(id: string, body: JsonObject): Promise<Row> {
    return resultOf(await this.call('PATCH', `/${id}`, body)) as Row;
  }

  async remove(id: string): Promise<void> {
    assert.deepEqual(resultOf(await this.call('DELETE', `/${id}`)), { _id: id });
  }

  async list(query = ''): Promise<Listed> {
    return resultOf(await this.call('GET', query && `?${query}`)) as unknown as Listed;
  }

  async total(query = ''): Promise<number> {
    return (await this.list(query)).total;
  }

  /** One field of every record that a query finds, in its order. */
  async values(field: string, query = ''): Promise<Json[]> {
    return (await this.list(query)).found.map((row) => row[field] ?? null);
  }

  async distinct(query: string): Promise<Record<string, unknown>> {
    return resultOf(await this.call('GET', `/distinct?${query}`));
  }
}

export function definition(id: string, fields: JsonObject, more: JsonObject = {}): JsonObject {
  return { id, fields, api: { access: 'public' }, ...more };
}

let projects = 0;

/** A fresh project with these collections, and the way to each of them. */
export async function makeProject(app: TestApp, ...collections: readonly JsonObject[]): Promise<string> {
  projects += 1;
  const id = `p${projects}`;
  await app.project(id, ...collections);
  return `/v1/${id}`;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
