import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PageCache } from './page-cache.ts';
import type { ListAnswer } from './plans.ts';

const page = (length: number): ListAnswer => ({ total: 1, found: 'x'.repeat(length), include: new Map() });

describe('remembered pages', () => {
  it('are the very same answer while the versions are, and nothing once they are not', () => {
    const cache = new PageCache();
    const answer = cache.keep('a', '1 ', page(10));
    assert.equal(cache.find('a', '1 '), answer);
    assert.equal(cache.find('a', '2 '), undefined);
    assert.equal(cache.find('b', '1 '), undefined, 'of another plan');
    const next = cache.keep('a', '2 ', page(20));
    assert.equal(cache.find('a', '2 '), next);
    assert.equal(cache.find('a', '1 '), undefined);
    assert.notEqual(answer.key, next.key, 'what is made of them is not the same');
  });

  it('are not kept where they are large', () => {
    const cache = new PageCache();
    assert.equal(cache.keep('a', '1 ', page(200_000)).key, undefined);
    assert.equal(cache.find('a', '1 '), undefined);
  });

  it('that are a little too many, asked for in turn, are still found for the most part', () => {
    const cache = new PageCache();
    const keys = Array.from({ length: 200 }, (_, index) => `plan ${index}`);
    const answer = page(50_000); // about 158 of these fit
    let found = 0;
    for (let round = 0; round < 10; round++) {
      for (const key of keys) {
        if (cache.find(key, '1 ')) found += 1;
        else cache.keep(key, '1 ', answer);
      }
    }
    const held = keys.filter((key) => cache.find(key, '1 ')).length;
    assert.ok(held <= 160, `${held} pages of 50,000 characters are kept`);
    assert.ok(found > 9 * 100, `${found} of ${9 * 200} were found`);
  });
});
