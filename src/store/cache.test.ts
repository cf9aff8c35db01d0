import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Lru, remember, VersionedAnswers } from './cache.ts';

describe('a cache', () => {
  it('holds so many entries, and lets go of those that were used longest ago', () => {
    const gone: string[] = [];
    const cache = new Lru<string, string>({ most: 3, evicted: (value) => gone.push(value) });
    for (const key of ['a', 'b', 'c']) cache.set(key, key);
    assert.equal(cache.get('a'), 'a');
    cache.set('d', 'd');
    assert.deepEqual(gone, ['b']);
    assert.equal(cache.get('b'), undefined);
    assert.equal(
      remember(cache, 'a', () => 'new'),
      'a',
    );
    cache.clear();
    assert.deepEqual(gone.toSorted(), ['a', 'b', 'c', 'd']);
    assert.equal(cache.weight, 0);
  });

  it('holds so many bytes, whatever is put in again', () => {
    const cache = new Lru<number, string>({ most: 10, weigh: (value) => value.length });
    cache.set(1, 'aaaa');
    cache.set(1, 'aa');
    cache.set(2, 'bbbb');
    assert.equal(cache.weight, 6);
    cache.set(3, 'ccccc');
    assert.equal(cache.get(1), undefined);
    assert.equal(cache.weight, 9);
    cache.set(4, 'd'.repeat(11));
    assert.equal(cache.get(4), undefined, 'too large by itself');
    assert.equal(cache.weight, 9);
  });

  it('counts the characters of keys, and keeps nothing that has a long one', () => {
    const cache = new Lru<string, string>({ most: 5_000, weigh: (value) => value.length });
    for (let at = 0; at < 100; at++) cache.set(`${at}`.padStart(1_000), '');
    assert.equal(cache.weight, 5_000);
    cache.set('k'.repeat(2_001), 'a');
    assert.equal(cache.get('k'.repeat(2_001)), undefined);
    const counted = new Lru<string, number>({ most: 10 });
    const answers = new VersionedAnswers<number>({ most: 10 });
    for (const length of [2_000, 2_001]) {
      counted.set('k'.repeat(length), length);
      answers.keep(1, 'k'.repeat(length), length);
    }
    for (const find of [(key: string) => counted.get(key), (key: string) => answers.find(1, key)?.answer]) {
      assert.equal(find('k'.repeat(2_000)), 2_000);
      assert.equal(find('k'.repeat(2_001)), undefined);
    }
    const trusted = new Lru<string, string>({ most: 10, longestKey: Number.POSITIVE_INFINITY });
    trusted.set('k'.repeat(2_001), 'a');
    assert.equal(trusted.get('k'.repeat(2_001)), 'a');
  });

  it('gives answers of one version until there is another', () => {
    const answers = new VersionedAnswers<number | undefined>({ most: 10 });
    let asked = 0;
    const ask = (version: number) => answers.get(version, 'q', () => ++asked);
    assert.deepEqual([ask(1), ask(1), ask(2), ask(2), ask(1)], [1, 1, 2, 2, 3]);
    assert.equal(
      answers.get(1, 'none', () => undefined),
      undefined,
    );
    assert.deepEqual(answers.find(1, 'none'), { version: 1, answer: undefined });
  });
});
