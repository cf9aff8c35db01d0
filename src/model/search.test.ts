import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fold } from './search.ts';

describe('texts without their case', () => {
  it('are the same whether or not other letters stand beside them', () => {
    const beside = 'ß';
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        assert.equal(fold(`${text} ${beside}`), `${fold(text)} ${fold(beside)}`);
      }),
    );
  });

  it('bring together what is one letter to a reader', () => {
    assert.equal(fold('ΟΔΌΣ'), fold('οδός'));
    assert.equal(fold('STRASSE'), fold('straße'));
    assert.equal(fold('E\u0301cole'), fold('\u00e9COLE'));
  });
});
