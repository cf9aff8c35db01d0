import type { Definition } from '../reference/generate.ts';
import type { Row, Table } from '../reference/model.ts';
import { resultOf } from './side.ts';
import type { Answer, Step } from './step.ts';

/** What somebody who reads all answers knows of a project; some of it is out of date, as it is for everybody. */
export class Known {
  readonly tables = new Map<string, Table>();
  readonly definitions = new Map<string, Definition>();
  readonly tokens: string[] = [];
  readonly refreshTokens: string[] = [];
  readonly users: string[] = [];
  readonly workspaces: string[] = [];
  readonly keys: string[] = [];
  /** `path` with the query that goes with the cursor. */
  readonly cursors: { readonly path: string; readonly next: string; readonly token: string | undefined }[] =
    [];
  readonly tags: { readonly path: string; readonly tag: string; readonly token: string | undefined }[] = [];
  /** Those with an Idempotency-Key. */
  readonly keyed: Step[] = [];

  learn(step: Step, answer: Answer): void {
    if (step.headers?.['idempotency-key'] !== undefined) this.keyed.push(step);
    if (answer.status > 299) return;
    const [path = '', query = ''] = step.path.split('?');
    const parts = path.split('/').slice(2);
    const result = resultOf(answer.text);
    if (parts[0] === '_admin') this.#learnManaged(step, parts.slice(3), query, result);
    else if (parts[1] === '_auth') this.#learnSignedIn(parts[2] ?? '', result);
    else if (parts[1] === '_batch') this.#learnBatch(step, result);
    else if (parts[1] !== undefined) this.#learnRecords(step, answer, parts.slice(1), result);
  }

  #learnManaged(step: Step, [kind, id]: readonly string[], query: string, result: object): void {
    const { _id, key } = result as { _id?: string; key?: string };
    if (kind === 'collections') {
      if (step.verb === 'DELETE' && id) this.#forget(id);
      if ((step.verb === 'POST' || step.verb === 'PUT') && !query.includes('dryRun')) {
        if (id) this.#redefine(id, result as Definition);
        else this.#define(result as Definition);
      }
    }
    if (step.verb !== 'POST' || _id === undefined) return;
    if (kind === 'users') this.users.push(_id);
    if (kind === 'workspaces' && !id) this.workspaces.push(_id);
    if (kind === 'keys' && key) {
      this.keys.push(_id);
      this.tokens.push(key);
    }
  }

  #define(definition: Definition): void {
    this.definitions.set(definition.id, definition);
    this.tables.set(definition.id, { fields: definition.fields as never, rows: [] });
  }

  #redefine(id: string, definition: Definition): void {
    const rows = this.tables.get(id)?.rows ?? [];
    this.#forget(id);
    this.definitions.set(definition.id, definition);
    this.tables.set(definition.id, { fields: definition.fields as never, rows });
    if (id !== definition.id) this.#follow(id, definition.id);
  }

  /** The relations to a collection that has another id now. */
  #follow(old: string, id: string): void {
    for (const [name, definition] of this.definitions) {
      const text = JSON.stringify(definition).replaceAll(`"to":"${old}"`, `"to":"${id}"`);
      const followed = JSON.parse(text) as Definition;
      this.definitions.set(name, followed);
      this.tables.set(name, { fields: followed.fields as never, rows: this.tables.get(name)?.rows ?? [] });
    }
  }

  #forget(id: string): void {
    this.definitions.delete(id);
    this.tables.delete(id);
  }

  #learnSignedIn(call: string, result: Record<string, unknown>): void {
    const { accessToken, refreshToken, user, _id } = result as Record<string, never>;
    if (accessToken) this.tokens.push(accessToken);
    if (refreshToken) this.refreshTokens.push(refreshToken);
    if (call === 'register' && user) this.users.push((user as { _id: string })._id);
    if (call === 'workspaces' && _id) this.workspaces.push(_id);
  }

  #learnBatch(step: Step, { results }: Record<string, unknown>): void {
    const { operations } = JSON.parse(step.body ?? '{}') as { operations?: { collection: string }[] };
    if (!Array.isArray(results) || !operations) return;
    results.forEach((row: Row, at) => {
      if ('_createdAt' in row) this.#note(operations[at]?.collection ?? '', row);
    });
  }

  #learnRecords(
    step: Step,
    answer: Answer,
    [collection = '', id]: readonly string[],
    result: Record<string, unknown>,
  ): void {
    const { token, verb, path } = step;
    const table = this.tables.get(collection);
    const { next, found, created, _createdAt } = result;
    if (typeof next === 'string') this.cursors.push({ path: withoutCursor(path), next, token });
    if (answer.headers.etag !== undefined && id) this.tags.push({ path, tag: answer.headers.etag, token });
    if (verb === 'DELETE' && table) table.rows = table.rows.filter((row) => row._id !== id);
    const rows = [...(Array.isArray(found) ? found : []), ...(Array.isArray(created) ? created : [])];
    if (typeof _createdAt === 'string') rows.push(result);
    const fields = Object.keys(table?.fields ?? {});
    for (const row of rows as Row[]) {
      if (fields.every((name) => Object.hasOwn(row, name)) && row._id) this.#note(collection, row);
    }
  }

  #note(collection: string, row: Row): void {
    const table = this.tables.get(collection);
    if (!table) return;
    const at = table.rows.findIndex(({ _id }) => _id === row._id);
    if (at < 0) table.rows.push(row);
    else table.rows[at] = row;
  }
}

const withoutCursor = (path: string) => path.replace(/&?after=[^&]*/, '');
