import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ListPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { type Mark, PageMarks } from './page-marks.ts';

const collection = { key: 1, ref: { version: 1 } } as unknown as StoredCollection;
const plan = (offset: number, limit = 200) =>
  ({
    ...{ offset, limit, sort: [{ name: '_createdAt', descending: false }] },
    where: { scope: { kind: 'all' }, conditions: [], search: [] },
  }) as unknown as ListPlan;
const mark = (offset: number, version = 1): Mark => ({
  offset,
  version,
  position: { seq: offset, values: [] },
});

describe('marks of pages', () => {
  it('the one that is found is the nearest before the page', () => {
    // As far apart as marks must be, and few enough that none is evicted.
    const offset = fc.nat({ max: 10_000 }).map((tens) => tens * 10);
    fc.assert(
      fc.property(fc.array(offset, { maxLength: 500 }), fc.nat({ max: 100_000 }), (added, wanted) => {
        const marks = new PageMarks();
        for (const offset of added) marks.add(collection, plan(offset), mark(offset));
        const before = added.filter((offset) => offset <= wanted);
        const nearest = before.length === 0 ? undefined : Math.max(...before);
        assert.equal(marks.find(collection, plan(wanted))?.offset, nearest);
      }),
    );
  });

  it('whoever goes on from page to page always has the end of the last, however many there are', () => {
    const marks = new PageMarks();
    for (let offset = 0; offset < 100_000; offset += 25) {
      if (offset >= 200) assert.equal(marks.find(collection, plan(offset))?.offset, offset);
      marks.add(collection, plan(offset), mark(offset + 25));
    }
  });

  it('those of another version are over', () => {
    const marks = new PageMarks();
    marks.add(collection, plan(500), mark(500));
    marks.add(collection, plan(800), mark(800, 2));
    assert.equal(marks.find(collection, plan(700)), undefined);
    assert.equal(marks.find(collection, plan(900))?.version, 2);
    marks.forget(collection, plan(900));
    assert.equal(marks.find(collection, plan(900)), undefined);
  });

  it('the first pages need none', () => {
    const marks = new PageMarks();
    marks.add(collection, plan(500), mark(100));
    assert.equal(marks.find(collection, plan(150, 25)), undefined);
    assert.equal(marks.find(collection, plan(180, 25))?.offset, 100);
  });
});
