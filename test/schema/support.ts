import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Reply, TestApp } from '../harness.ts';
import { asAdmin, assertRefused, definition, makeProject, Records, type Row, resultOf } from '../support.ts';

export interface Step {
  readonly kind: string;
  readonly field?: string;
  readonly from?: string;
  readonly to?: string;
  readonly records: number;
}

export interface Plan {
  readonly steps: Step[];
  readonly destructive: boolean;
  readonly contradiction?: { readonly records: number; readonly first: { readonly id: string }[] };
}

export type Fields = Record<string, JsonObject>;

export const text = { type: 'text' };
export const number = { type: 'number' };
export const content = { type: 'content' };
export const listOf = (type: string, more: JsonObject = {}) => ({ type: 'list', of: { type }, ...more });
export const relation = (to: string, more: JsonObject = {}) => ({ type: 'relation', to, ...more });

/** What search is asked in a dump. */
const words = ['a', 'red', '1', 'example'];

/** The schema of one project, through the front door. */
export class Schema {
  readonly project: string;
  readonly path: string;
  readonly #app: TestApp;

  constructor(app: TestApp, project: string) {
    this.#app = app;
    this.project = project;
    this.path = `/v1/_admin/projects/${project}/collections`;
  }

  /** In a project of its own. */
  static async make(app: TestApp, ...collections: readonly JsonObject[]): Promise<Schema> {
    const path = await makeProject(app, ...collections);
    return new Schema(app, path.slice('/v1/'.length));
  }

  records(collection: string): Records {
    return new Records(this.#app, `/v1/${this.project}/${collection}`, asAdmin);
  }

  put(id: string, body: JsonObject, query = ''): Promise<Reply> {
    return this.#app.call('PUT', `${this.path}/${id}${query && `?${query}`}`, { ...asAdmin, body });
  }

  /** Puts a collection of these fields, which must go well. */
  async change(id: string, fields: Fields, more: JsonObject = {}, query = ''): Promise<JsonObject> {
    return resultOf(await this.put(id, definition(id, fields, more), query)) as JsonObject;
  }

  /** What a change would do; it must not do it. */
  async plan(id: string, body: JsonObject, query = ''): Promise<Plan> {
    const before = await this.dump();
    const plan = resultOf(await this.put(id, body, `dryRun=true${query}`)) as unknown as Plan;
    assert.deepEqual(await this.dump(), before, 'a dry run changed something');
    return plan;
  }

  /** The change is a refusal, and everything is as it was. */
  async refused(
    id: string,
    body: JsonObject,
    status: number,
    ...parts: readonly (string | RegExp)[]
  ): Promise<void> {
    const before = await this.dump();
    assertRefused(await this.put(id, body), status, ...parts);
    assert.deepEqual(await this.dump(), before, 'a refused change changed something');
  }

  async view(id: string): Promise<JsonObject> {
    return resultOf(await this.#app.call('GET', `${this.path}/${id}`, asAdmin)) as JsonObject;
  }

  async definitions(): Promise<JsonObject[]> {
    const { found } = resultOf(await this.#app.call('GET', `${this.path}?perPage=1000`, asAdmin));
    return found as JsonObject[];
  }

  /** Everything that can be seen of the project's collections, byte for byte. */
  async dump(): Promise<string[]> {
    const definitions = await this.definitions();
    const seen = [JSON.stringify(definitions)];
    for (const { id, fields } of definitions) {
      const names = Object.keys(fields as JsonObject);
      const service = '_id,_createdAt,_updatedAt,_owner,_workspace';
      const questions = [
        ...['?perPage=1000', `?perPage=1000&fields=${[service, ...names].join(',')}`],
        ...names.map((name) => `?perPage=1000&sort=-${name}&fields=_id`),
        ...(names.length > 0 ? [`/distinct?fields=${names.join(',')}`] : []),
        ...words.map((word) => `?perPage=1000&fields=_id&search=${word}`),
      ];
      const records = this.records(String(id));
      const replies = await Promise.all(questions.map((question) => records.call('GET', question)));
      seen.push(...replies.map((reply) => reply.text));
      for (const { _id } of (await records.list('perPage=3')).found) {
        const { headers } = await records.call('GET', `/${_id}`);
        seen.push(`${_id} ${headers.get('etag')}`);
      }
    }
    return seen;
  }
}

/** A record's fields without those of the service. */
export function valuesOf(row: Row | undefined): Record<string, Json> {
  assert.ok(row);
  const { _id, _createdAt, _updatedAt, ...values } = row;
  return values;
}

/** The service's fields of every record, in creation order. */
export async function identities(records: Records): Promise<Json[]> {
  const { found } = await records.list(
    'perPage=1000&fields=_id,_createdAt,_updatedAt,_owner,_workspace&sort=_createdAt',
  );
  return found as unknown as Json[];
}
