import assert from 'node:assert/strict';
import type { Json } from '../../src/model/json.ts';
import type { TestApp } from '../harness.ts';
import type { Dice } from './dice.ts';
import { isMany, type Payload, stored, Values } from './generate.ts';
import type { Row, Table } from './model.ts';

/** One project, and what the model believes is in it. */
export class Project {
  readonly id: string;
  readonly tables: Map<string, Table>;
  readonly #app: TestApp;
  readonly #dice: Dice;
  readonly #values: Values;

  constructor(id: string, tables: Map<string, Table>, app: TestApp, dice: Dice) {
    this.id = id;
    this.tables = tables;
    this.#app = app;
    this.#dice = dice;
    this.#values = new Values(dice);
  }

  get values(): Values {
    return this.#values;
  }

  path(collection: string, rest = ''): string {
    return `/v1/${this.id}/${collection}${rest}`;
  }

  table(collection: string): Table {
    const table = this.tables.get(collection);
    assert.ok(table);
    return table;
  }

  async create(collection: string): Promise<void> {
    const table = this.table(collection);
    const payload = this.#values.payload(table, this.tables);
    const reply = await this.#app.call('POST', this.path(collection), { body: payload });
    assert.equal(reply.status, 201, `${JSON.stringify(payload)}: ${reply.text}`);
    this.#created(table, payload, reply.body.result);
  }

  #created(table: Table, payload: Payload, result: unknown): void {
    const row = result as Row;
    const expected = Object.entries(table.fields).map(([name, field]) => [
      name,
      stored(field, Object.hasOwn(payload, name) ? (payload[name] as Json) : null),
    ]);
    const { _id, _createdAt, _updatedAt, ...rest } = row;
    assert.deepEqual(rest, Object.fromEntries(expected), 'the created record is not what was sent');
    assert.match(_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.match(_createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(_updatedAt, _createdAt);
    table.rows.push(row);
  }

  async update(collection: string): Promise<void> {
    const table = this.table(collection);
    if (table.rows.length === 0) return;
    const row = this.#dice.pick(table.rows);
    const fields = this.#dice.some(Object.entries(table.fields), 1, 2);
    const patch = Object.fromEntries(
      fields.map(([name, field]) => [name, this.#values.of(field, this.tables)]),
    );
    const reply = await this.#app.call('PATCH', this.path(collection, `/${row._id}`), { body: patch });
    assert.equal(reply.status, 200, `${JSON.stringify(patch)}: ${reply.text}`);
    const changed = fields.map(([name, field]) => [name, stored(field, patch[name] ?? null)]);
    this.#replace(table, row, { ...row, ...Object.fromEntries(changed) }, reply.body.result as Row);
  }

  /** Any record, or the one that is named if it is still there. */
  async delete(collection: string, id?: string): Promise<void> {
    const { rows } = this.table(collection);
    const named = id === undefined ? rows : rows.filter((row) => row._id === id);
    if (named.length === 0) return;
    const gone = this.#dice.pick(named);
    const reply = await this.#app.call('DELETE', this.path(collection, `/${gone._id}`));
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body.result, { _id: gone._id });
    rows.splice(rows.indexOf(gone), 1);
    for (const [name, table] of this.tables) {
      for (const row of [...table.rows]) {
        const cleared = clear(table, row, gone._id);
        if (!cleared) continue;
        const seen = await this.#app.call('GET', this.path(name, `/${row._id}`));
        assert.equal(seen.status, 200, seen.text);
        this.#replace(table, row, cleared, seen.body.result as Row);
      }
    }
  }

  #replace(table: Table, before: Row, expected: Row, actual: Row): void {
    assert.deepEqual({ ...actual, _updatedAt: '' }, { ...expected, _updatedAt: '' }, 'wrongly changed');
    const differs = JSON.stringify(expected) !== JSON.stringify(before);
    const later = actual._updatedAt > before._updatedAt;
    assert.ok(later || (!differs && actual._updatedAt === before._updatedAt), '_updatedAt must increase');
    table.rows[table.rows.indexOf(before)] = actual;
  }
}

/** The record without its references to a deleted one, or nothing where it has none. */
function clear(table: Table, row: Row, id: string): Row | undefined {
  const relations = Object.entries(table.fields).filter(([, field]) => field.type === 'relation');
  const hits = relations.filter(([name]) => [row[name]].flat().includes(id));
  if (hits.length === 0) return undefined;
  const cleared = hits.map(([name, field]) => [
    name,
    isMany(field) ? (row[name] as string[]).filter((one) => one !== id) : null,
  ]);
  return { ...row, ...Object.fromEntries(cleared) };
}

/** The first records of a collection, and later a few changes. */
export async function write(dice: Dice, project: Project, collection: string, round: number): Promise<void> {
  if (round === 0) {
    for (let count = 1 + dice.below(32); count > 0; count--) await project.create(collection);
    return;
  }
  for (let count = 1 + dice.below(4); count > 0; count--) {
    await dice
      .pick([project.create, project.update, project.update, project.delete])
      .call(project, collection);
  }
}
