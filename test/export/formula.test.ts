import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { defuse, looksLikeFormula, restoreDefused } from '../../src/model/formula.ts';
import { seed } from '../seed.ts';

const pieces = [
  '=',
  '+',
  '-',
  '@',
  '\t',
  '\r',
  '\n',
  '\r\n',
  ';',
  "'",
  ' ',
  'x',
  '1',
  ',',
  '"',
  '＝',
  '\u3000',
];
const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));

describe(`a text for a CSV file (VITRINE_SEED=${seed})`, () => {
  it('begins no formula, where a spreadsheet splits at commas or at semicolons', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const defused = defuse(text);
        assert.ok(!looksLikeFormula(defused), JSON.stringify(defused));
        for (const cell of defused.split(';').slice(1)) {
          assert.doesNotMatch(cell, /^[^\S\r\n]*[=+\-@＝＋－＠]/, JSON.stringify(defused));
        }
        for (const line of defused.split(/\r\n|\r|\n/).slice(1)) {
          assert.doesNotMatch(line, /^[^\S\r\n]*[=@＝＠]/, JSON.stringify(defused));
        }
      }),
      { seed, numRuns: 2_000 },
    );
  });

  it('can be turned back', () => {
    const unquoted = texts.map((text) => text.replaceAll("'", ''));
    fc.assert(
      fc.property(unquoted, (text) => assert.equal(restoreDefused(defuse(text)), text)),
      { seed, numRuns: 2_000 },
    );
  });

  it('is otherwise what it was', () => {
    for (const text of ['x', 'a; b', 'a;b', '- in -', "it's", 'list:\n- one\n- two', 'a;\nb', '']) {
      assert.equal(defuse(text), text.startsWith('-') ? `'${text}` : text);
    }
    assert.equal(defuse('x;=1+1'), "x;'=1+1");
    assert.equal(defuse('x\n=1+1'), "x\n'=1+1");
  });

  it('takes time in proportion to its length', () => {
    for (const piece of ['\t', '\n', ' ', ';', "'", '; ', '\n ', "\t'", '\r', '=']) {
      const begun = performance.now();
      defuse(`x${piece.repeat(500_000)}x`);
      restoreDefused(`'${piece.repeat(500_000)}x`);
      // Some milliseconds; in proportion to its square it would be minutes.
      assert.ok(performance.now() - begun < 15_000, JSON.stringify(piece));
    }
  });
});
