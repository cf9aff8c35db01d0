import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Json } from '../../src/model/json.ts';
import { startApp, type TestApp } from '../harness.ts';
import { Dice } from './dice.ts';
import { isMany, makeSchema, type Payload, Questions, stored, Values } from './generate.ts';
import { distinct, type Page, Refused, type Row, type Table, viewAll } from './model.ts';

const seed = Number(process.env.VITRINE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const worlds = Number(process.env.VITRINE_WORLDS ?? 48);
const rounds = 3;
const queriesPerRound = 28;

/** One project, and what the model believes is in it. */
class Project {
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

  async delete(collection: string): Promise<void> {
    const { rows } = this.table(collection);
    if (rows.length === 0) return;
    const gone = this.#dice.pick(rows);
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

/** `_include` holds each record once, in no promised order. */
function inOrder(page: Page): Page {
  if (!page._include) return page;
  const lists = Object.entries(page._include).map(([path, rows]) => [
    path,
    rows.toSorted((a, b) => (a._id < b._id ? -1 : 1)),
  ]);
  return { ...page, _include: Object.fromEntries(lists) };
}

describe('View All and Distinct are what the reference model says', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  it(`in random projects (VITRINE_SEED=${seed})`, { timeout: 240_000 }, async () => {
    const counts = {
      worlds: 0,
      queries: 0,
      found: 0,
      searches: 0,
      searchesFound: 0,
      included: 0,
      refused: 0,
    };
    const started = Date.now();

    /** Asks both; says whether there was something in the answer. */
    async function ask(project: Project, collection: string, query: string, isDistinct: boolean) {
      const path = project.path(collection, `${isDistinct ? '/distinct' : ''}?${query}`);
      let expected: Page | Record<string, unknown[]> | Refused;
      try {
        const model = isDistinct ? distinct : viewAll;
        expected = model(project.tables, collection, query);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        expected = error;
      }
      const reply = await app.call('GET', path);
      counts.queries += 1;
      if (expected instanceof Refused) {
        counts.refused += 1;
        assert.equal(reply.status, 400, `the model refuses it (${expected.message}): ${reply.text}`);
        assert.deepEqual(Object.keys(reply.body), ['ok', 'error']);
        return;
      }
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(Object.keys(reply.body), ['ok', 'result']);
      if (isDistinct) {
        assert.deepEqual(reply.body.result, expected);
        if (Object.values(expected).some((values) => values.length > 0)) counts.found += 1;
        return;
      }
      const wanted = expected as Page;
      const got = reply.body.result as unknown as Page;
      // The short differences first: they are easier to read.
      assert.equal(got.total, wanted.total, 'total');
      assert.deepEqual(idsOf(got.found), idsOf(wanted.found), 'ids of found');
      assert.deepEqual(inOrder(got), inOrder(wanted));
      const isHit = wanted.total > 0;
      if (wanted.found.length > 0) counts.found += 1;
      if (/(^|&)search=/.test(query)) {
        counts.searches += 1;
        if (isHit) counts.searchesFound += 1;
      }
      if (Object.values(wanted._include ?? {}).some((rows) => rows.length > 0)) counts.included += 1;
    }

    const property = fc.asyncProperty(fc.gen(), async (draw) => {
      counts.worlds += 1;
      const dice = new Dice(draw);
      const { definitions, tables } = makeSchema(dice);
      const project = new Project(`w${counts.worlds}`, tables, app, dice);
      let last = 'making the project';
      try {
        await app.project(project.id, ...definitions);
        const questions = new Questions(dice, tables, project.values);
        for (let round = 0; round < rounds; round++) {
          last = `writing in round ${round}`;
          for (const collection of tables.keys()) await write(dice, project, collection, round);
          if (dice.chance(3)) await app.reopen();
          if (dice.chance(35)) await sleep(60);
          for (let count = 0; count < queriesPerRound; count++) {
            const collection = dice.pick(['a', 'a', 'b', 'c']);
            const isDistinct = dice.chance(15);
            const query = isDistinct ? questions.distinct(collection) : questions.viewAll(collection);
            const asking = `GET ${project.path(collection, isDistinct ? '/distinct' : '')}?${query}`;
            last = `${asking}\n  decoded: ${decodeURIComponent(query)}`;
            await ask(project, collection, query, isDistinct);
            if (!dice.chance(10)) continue;
            // A write, and the same question again: nothing remembered from before may be in the answer.
            last = 'writing between queries';
            const { create, update, delete: remove } = project;
            await dice.pick([create, update, update, remove, remove]).call(project, collection);
            last = `${asking} (asked before the last write too)\n  decoded: ${decodeURIComponent(query)}`;
            await ask(project, collection, query, isDistinct);
          }
        }
      } catch (error) {
        const rows = [...tables].map(([id, table]) => `${id}: ${table.rows.length}`).join(', ');
        const message = error instanceof Error ? error.message : String(error);
        throw new Error(
          `VITRINE_SEED=${seed}, project ${counts.worlds}, query ${counts.queries}\n${last}\n` +
            `records: ${rows}\nschema: ${JSON.stringify(definitions)}\n${message}\n` +
            (app.errors.length > 0 ? `logged: ${app.errors.map(String).join('; ')}\n` : '') +
            (process.env.VITRINE_RECORDS ? JSON.stringify([...tables].map(([id, t]) => [id, t.rows])) : ''),
          { cause: error },
        );
      }
    });

    const outcome = await fc.check(property, { seed, numRuns: worlds, endOnFailure: true });
    console.log(`reference: VITRINE_SEED=${seed}, ${JSON.stringify(counts)}, ${Date.now() - started} ms`);
    if (outcome.failed) throw outcome.errorInstance ?? new Error('the property failed');
    assert.deepEqual(app.errors, []);
    assert.ok(counts.queries >= worlds * rounds * queriesPerRound);
    // A comparison of nothing with nothing proves nothing.
    assert.ok(counts.found > counts.queries * 0.4, 'too few of the queries found anything');
    assert.ok(counts.searchesFound > counts.searches * 0.25, 'too few of the searches found anything');
    assert.ok(counts.included > counts.queries * 0.05, 'too few of the queries included anything');
    assert.ok(counts.refused < counts.queries * 0.1, 'too many of the queries were refused');
  });
});

function idsOf(found: readonly object[]): unknown[] {
  return found.map((row) => ('_id' in row ? row._id : row));
}

async function write(dice: Dice, project: Project, collection: string, round: number): Promise<void> {
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
