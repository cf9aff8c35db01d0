import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fold } from '../src/model/search.ts';
import { seed } from './seed.ts';

describe(`texts without their case (VITRINE_SEED=${seed})`, () => {
  it('are the same whether or not other letters stand beside them', () => {
    const beside = 'ß';
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        assert.equal(fold(`${text}-${beside}`), `${fold(text)}-${fold(beside)}`);
      }),
      { seed },
    );
  });

  it('have one blank for white space of any length and kind', () => {
    assert.equal(fold('a \t\r\n\u3000 b\u00a0C\u2028'), 'a b c ');
    assert.equal(fold(' a  b '), ' a b ');
  });

  it('take time in proportion to their length, whatever marks they have', () => {
    const marks = `a${'\u0300'.repeat(200_000)}${'\u0316'.repeat(200_000)}`;
    const start = performance.now();
    const folded = fold(marks);
    assert.ok(performance.now() - start < 3_000);
    assert.equal(fold(folded), folded);
    const ordinary = `a${'\u0316\u0300'.repeat(15)}`;
    assert.equal(fold(ordinary), ordinary.normalize('NFC'));
  });

  it('are the same whatever the case of each letter', () => {
    for (let code = 0; code <= 0x10ffff; code++) {
      const letter = String.fromCodePoint(code);
      for (const other of [letter.toLowerCase(), letter.toUpperCase()])
        if (other !== letter) assert.equal(fold(other), fold(letter), code.toString(16));
    }
  });

  it('bring together what is one letter to a reader', () => {
    assert.equal(fold('ΟΔΌΣ'), fold('οδός'));
    for (const other of ['straße', 'STRAẞE']) assert.equal(fold(other), fold('STRASSE'));
    assert.equal(fold('E\u0301cole'), fold('\u00e9COLE'));
  });
});
