import assert from 'node:assert/strict';
import type { TestApp } from '../harness.ts';
import type { Dice } from './dice.ts';
import { type Counted, type Page, Refused, type Row, unpaged, walked } from './model.ts';
import type { Project } from './project.ts';

type Step = Omit<Page, Counted> & { readonly next: string | null };

/** Goes through lists by cursor and compares them with the model's. */
export class Walker {
  readonly #app: TestApp;

  constructor(app: TestApp) {
    this.#app = app;
  }

  /** The pages are exactly those of the unpaged list; gives back how many there were. */
  async walk(project: Project, collection: string, query: string): Promise<number> {
    const expected = this.#expected(project, collection, query);
    if (expected instanceof Refused) {
      const reply = await this.#app.call('GET', project.path(collection, `?${query}&after=`));
      assert.equal(reply.status, 400, `the model refuses it (${expected.message}): ${reply.text}`);
      return 0;
    }
    let after: string | null = '';
    for (const [at, { perPage, found, _include }] of expected.entries()) {
      assert.ok(after !== null, `the walk ends after ${at} of ${expected.length} pages`);
      const { next, ...step } = await this.#step(project, collection, query, after);
      const ids = (rows: readonly object[]) => rows.map((row) => ('_id' in row ? row._id : row));
      assert.deepEqual(ids(step.found), ids(found), `ids of found on page ${at + 1} of ${expected.length}`);
      assert.deepEqual(inOrder(step), inOrder({ perPage, found, ...(_include && { _include }) }));
      after = next;
    }
    assert.equal(after, null, `the walk goes on after its ${expected.length} pages`);
    return expected.length;
  }

  /** With writes between the pages. What is there throughout, unchanged, is seen once and in its place. */
  async walkAmidChanges(project: Project, collection: string, query: string, dice: Dice): Promise<void> {
    const before = unpaged(project.tables, collection, query);
    const seen: string[] = [];
    const ever = new Set(before);
    let after: string | null = '';
    let steps = 0;
    while (after !== null) {
      const { next, found }: Step = await this.#step(project, collection, query, after);
      seen.push(...found.map((row) => (row as Row)._id));
      after = next;
      assert.ok(++steps < 1000, 'the walk does not end');
      if (dice.chance(40)) await project.create(collection);
      for (const row of unpaged(project.tables, collection, query)) ever.add(row);
      // The record at which the cursor stands, too.
      if (dice.chance(35)) await project.delete(collection, dice.chance(60) ? seen.at(-1) : undefined);
    }
    // By the row itself: one that lost a reference to a deleted record has changed and may have moved.
    const left = new Set(unpaged(project.tables, collection, query));
    const steady = before.filter((row) => left.has(row)).map((row) => row._id);
    const steadySeen = seen.filter((id) => steady.includes(id));
    assert.deepEqual(steadySeen, steady, 'records that were there throughout');
    const changed = [...ever].filter((row) => !left.has(row)).map((row) => row._id);
    const others = seen.filter((id) => !changed.includes(id));
    assert.equal(new Set(others).size, others.length, 'a record is seen twice');
  }

  #expected(project: Project, collection: string, query: string): Omit<Page, Counted>[] | Refused {
    try {
      return walked(project.tables, collection, query);
    } catch (error) {
      if (error instanceof Refused) return error;
      throw error;
    }
  }

  async #step(project: Project, collection: string, query: string, after: string): Promise<Step> {
    const cursor = `after=${encodeURIComponent(after)}`;
    const reply = await this.#app.call('GET', project.path(collection, `?${query && `${query}&`}${cursor}`));
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(Object.keys(reply.body), ['ok', 'result']);
    const keys = Object.keys(reply.body.result).filter((key) => key !== '_include');
    assert.deepEqual(keys.sort(), ['found', 'next', 'perPage'], 'nothing is counted');
    const step = reply.body.result as unknown as Step;
    assert.ok(step.next === null || (typeof step.next === 'string' && step.next !== ''), String(step.next));
    return step;
  }
}

/** `_include` holds each record once, in no promised order. */
export function inOrder<T extends Pick<Page, '_include'>>(page: T): T {
  if (!page._include) return page;
  const lists = Object.entries(page._include).map(([path, rows]) => [
    path,
    rows.toSorted((a, b) => (a._id < b._id ? -1 : 1)),
  ]);
  return { ...page, _include: Object.fromEntries(lists) };
}
