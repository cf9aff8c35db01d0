import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { divide, selectFields, selectFromPage } from './select-fields.ts';

const records = fc.array(fc.dictionary(fc.string({ unit: 'binary', maxLength: 8 }), fc.jsonValue()));

describe('the named fields of a page', () => {
  it('are taken from one record after the other, whatever is in them', () => {
    fc.assert(
      fc.property(records, (all) => {
        const texts = all.map((record) => JSON.stringify(record));
        assert.deepEqual([...divide(texts.join(','))], texts);
      }),
    );
  });

  it('are the same of a large page, during which others get their turn', async () => {
    const all = Array.from({ length: 2_000 }, (_, n) => ({
      _id: String(n),
      title: `"}],{[${n}\\`,
      other: [{ title: 'x'.repeat(20_000) }],
    }));
    const found = all.map((record) => JSON.stringify(record)).join(',');
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const selected = await selectFromPage(found, ['title']);
    clearInterval(timer);
    assert.equal(selected, selectFields(found, ['title']));
    assert.equal(selected, all.map(({ _id, title }) => JSON.stringify({ _id, title })).join(','));
    assert.ok(turns > 1, `${turns} turns`);
  });
});
