import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Scope } from '../../src/access/scope.ts';
import { type CachedRecord, RecordCache } from '../../src/store/engines/sqlite/reads/record-cache.ts';
import { seed } from '../seed.ts';

const all: Scope = { kind: 'all' };
const owned = (owner: string): Scope => ({ kind: 'owner', owner });
const inside = (workspace: string): Scope => ({ kind: 'workspace', workspace });

const record = (id: string, text = '', owner: string | null = null, workspace: string | null = null) => ({
  id,
  json: `{"_id":"${id}","text":${JSON.stringify(text)}}`,
  owner,
  workspace,
});

/** In the first space of a cache. */
const sameHash = ['0190aaaa-0000-7000-8000-ce926a379351', '0190aaaa-0000-7000-8000-dfb183a7b7d9'] as const;

/** A number below `most`. */
const draw = (most: number): number => {
  drawn = (Math.imul(drawn, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((drawn / 2 ** 32) * most);
};
let drawn = seed;

function opened(): RecordCache {
  const cache = new RecordCache();
  cache.enter();
  return cache;
}

describe(`records that were viewed lately (VITRINE_SEED=${seed})`, () => {
  it('are found in their space, by their whole id', () => {
    const cache = opened();
    const [one, other] = [cache.newSpace(), cache.newSpace()];
    const kept = record('0190-abcdef-1', 'Übung 漢字 🎈');
    cache.keep(one, kept);
    assert.equal(cache.find(one, kept.id, all), kept.json);
    assert.equal(cache.find(other, kept.id, all), undefined);
    // The hash is of the end of an id.
    assert.equal(cache.find(one, `x${kept.id}`, all), undefined);
    assert.equal(cache.find(one, kept.id.slice(1), all), undefined);
  });

  it('are found by whoever owns them, and in their workspace', () => {
    const cache = opened();
    const space = cache.newSpace();
    cache.keep(space, record('both', '', 'ann', 'sales'));
    cache.keep(space, record('nobody'));
    cache.keep(space, record('workspace', '', null, 'annsales'));
    const found = (id: string, scope: Scope) => cache.find(space, id, scope) !== undefined;
    assert.deepEqual(
      [found('both', all), found('both', owned('ann')), found('both', inside('sales'))],
      [true, true, true],
    );
    for (const name of ['', 'an', 'anns', 'annsales', 'sales', 'bob'])
      assert.equal(found('both', owned(name)), false, name);
    for (const name of ['', 'ann', 'annsales', 'sale', 's'])
      assert.equal(found('both', inside(name)), false, name);
    for (const scope of [owned(''), owned('ann'), inside(''), inside('sales')])
      assert.equal(found('nobody', scope), false, JSON.stringify(scope));
    assert.deepEqual(
      [found('workspace', inside('annsales')), found('workspace', owned('ann'))],
      [true, false],
    );
  });

  it('are gone once they are forgotten, and come again as they are then', () => {
    const cache = opened();
    const space = cache.newSpace();
    cache.keep(space, record('a', 'before'));
    cache.forget(space, 'a');
    assert.equal(cache.find(space, 'a', all), undefined);
    cache.keep(space, record('a', 'after'));
    assert.equal(cache.find(space, 'a', all), record('a', 'after').json);
  });

  it('are not kept where they are large', () => {
    const cache = opened();
    const space = cache.newSpace();
    cache.keep(space, record('a', 'x'.repeat(20_000)));
    cache.keep(space, record('b', '漢'.repeat(10_000)));
    assert.equal(cache.find(space, 'a', all), undefined);
    assert.equal(cache.find(space, 'b', all), undefined);
  });

  it('stay while somebody reads very many others once, and make way for those that are asked for again', () => {
    const cache = opened();
    const space = cache.newSpace();
    const text = 'x'.repeat(4_000);
    const idOf = (index: number) => `id-${index}-${index * 7_919}`;
    for (let index = 0; index < 4_096; index++) cache.keep(space, record(idOf(index), text));
    const held = () =>
      Array.from({ length: 4_096 }, (_, index) => cache.find(space, idOf(index), all) !== undefined);
    const before = held().filter(Boolean).length;
    assert.ok(before > 3_800, `${before} of 4,096 records of 4 kB are in 16 MB`);
    for (let index = 0; index < 10_000; index++) cache.keep(space, record(`once-${index}`, text));
    assert.ok(held().filter(Boolean).length > before / 2, 'most are still there');
    for (let time = 0; time < 2; time++) cache.keep(space, record('twice', text));
    assert.notEqual(cache.find(space, 'twice', all), undefined);
  });

  it('take no memory once no project is open', () => {
    const cache = opened();
    const space = cache.newSpace();
    cache.enter();
    cache.keep(space, record('a'));
    cache.leave();
    assert.notEqual(cache.find(space, 'a', all), undefined, 'one is open still');
    cache.leave();
    assert.equal(cache.find(space, 'a', all), undefined);
    cache.enter();
    cache.keep(space, record('a'));
    assert.notEqual(cache.find(space, 'a', all), undefined);
  });

  it('of ids with the same hash are not mistaken for each other: only one of them is here', () => {
    const cache = opened();
    const space = cache.newSpace();
    assert.equal(space, 1, 'in this space they have the same hash');
    const [one, other] = sameHash;
    cache.keep(space, record(one));
    assert.equal(cache.find(space, other, all), undefined);
    cache.keep(space, record(other, 'before'));
    cache.forget(space, other);
    assert.equal(cache.find(space, other, all), undefined);
    cache.keep(space, record(other, 'after'));
    assert.equal(cache.find(space, other, all), record(other, 'after').json);
  });

  it('are not found by an id that goes on in the text of a record', () => {
    const cache = opened();
    const space = cache.newSpace();
    // The last twelve characters, which the hash is of, are the same.
    const kept = record('0190-abcdef', 'text 0190-abcdef');
    cache.keep(space, { ...kept, id: '0190-abcdef","text":"text 0190-abcdef' });
    assert.equal(cache.find(space, '0190-abcdef","text":"text 0190-abcdef', all), undefined);
  });

  it('are as they are now, or not here: whatever is read, written, and displaced', () => {
    const cache = opened();
    const stored = new Map<string, CachedRecord>();
    const texts = [1, 300, 3_000, 12_000, 15_900, 17_000].map((size) => 'y'.repeat(size));
    let [version, found, bytes] = [0, 0, 0];
    for (let step = 0; step < 120_000; step++) {
      const [space, number] = [1 + draw(3), draw(1_500)];
      const id = number < 2 ? (sameHash[number] ?? '') : `${number.toString(16)}-${number * 2_654_435_761}`;
      const key = `${space} ${id}`;
      const what = draw(10);
      if (what > 1) {
        const now = stored.get(key);
        const json = cache.find(space, id, all);
        assert.ok(json === undefined || json === now?.json, key);
        assert.equal(cache.find(space, id, owned('ann')), now?.owner === 'ann' ? json : undefined);
        if (json !== undefined) found += 1;
        else if (now) cache.keep(space, now);
        if (json === undefined) bytes += now?.json.length ?? 0;
        continue;
      }
      version += 1;
      if (what === 0)
        stored.set(key, record(id, `${version} ${texts[draw(texts.length)]}`, ['ann', 'bob', null][draw(3)]));
      else stored.delete(key);
      cache.forget(space, id);
    }
    assert.ok(bytes > 50 * 1024 * 1024, 'three times what fits was to be kept');
    assert.ok(found > 10_000, `${found} were found`);
  });
});
