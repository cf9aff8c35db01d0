import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListAnswer, ListPlan } from '../../../plans.ts';
import { PageCache } from './page-cache.ts';

const planOf = (offset: number) => ({ offset }) as unknown as ListPlan;
const page = (length: number): ListAnswer => ({ total: 1, found: 'x'.repeat(length), include: new Map() });

describe('remembered pages', () => {
  it('are the very same answer while the versions are, and nothing once they are not', () => {
    const memory = new PageCache();
    const [plan, answer] = [planOf(0), page(10)];
    memory.keep(plan, '1 ', page(10));
    assert.equal(memory.find(plan, '1 '), undefined, 'asked for once');
    memory.keep(plan, '1 ', answer);
    assert.equal(memory.find(plan, '1 '), answer);
    assert.equal(memory.find(plan, '2 '), undefined);
    assert.equal(memory.find(planOf(0), '1 '), undefined, 'of another plan');
    const next = page(20);
    memory.keep(plan, '2 ', next);
    assert.equal(memory.find(plan, '2 '), next);
    assert.equal(memory.find(plan, '1 '), undefined);
  });

  it('are not kept where they are large', () => {
    const memory = new PageCache();
    const plan = planOf(0);
    for (let time = 0; time < 2; time++) memory.keep(plan, '1 ', page(200_000));
    assert.equal(memory.find(plan, '1 '), undefined);
  });

  it('that are a little too many, asked for in turn, are still found for the most part', () => {
    const memory = new PageCache();
    const plans = Array.from({ length: 200 }, (_, index) => planOf(index));
    const answer = page(50_000); // there is room for some 158
    let found = 0;
    for (let round = 0; round < 10; round++) {
      for (const plan of plans) {
        if (memory.find(plan, '1 ')) found += 1;
        else memory.keep(plan, '1 ', answer);
      }
    }
    const held = plans.filter((plan) => memory.find(plan, '1 ')).length;
    assert.ok(held <= 160, `${held} pages of 50,000 characters are kept`);
    assert.ok(found > 8 * 100, `${found} of ${8 * 200} were found`);
  });
});
