import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compilePattern, readPattern } from '../../src/model/pattern.ts';
import { ecmaPattern } from '../../src/model/pattern-schema.ts';
import { seed } from '../seed.ts';

const atom = fc.constantFrom(
  ...['.', 'a', 'Z', '7', '-', ' ', '{', '}', ']', '/', 'é', '😀', ':', ','],
  ...[
    String.raw`\d`,
    String.raw`\D`,
    String.raw`\w`,
    String.raw`\W`,
    String.raw`\s`,
    String.raw`\S`,
    String.raw`\b`,
  ],
  ...[
    String.raw`\-`,
    String.raw`\_`,
    String.raw`\.`,
    String.raw`\/`,
    String.raw`\x41`,
    String.raw`\u00e9`,
    String.raw`\n`,
  ],
  ...[
    '[a-z]',
    '[^a-z]',
    '[-a]',
    '[a-]',
    String.raw`[\w-]`,
    String.raw`[\s\-.]`,
    '[^😀]',
    String.raw`[\d\]]`,
    '[[.]',
    '[$+]',
  ],
  ...['(?:a|b)', '(?<x>a)?', String.raw`\p{Lu}`, String.raw`\pL`],
);
const pattern = fc
  .array(fc.tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{2,}')), { maxLength: 5 })
  .chain((parts) => fc.tuple(fc.constantFrom('', '^'), fc.constant(parts), fc.constantFrom('', '$')))
  .map(([head, parts, tail]) => head + parts.map(([one, count]) => one + count).join('') + tail);
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'aAbzZ7-_ {}]/é😀:,.[$+\n\r\t\v\u00a0\u2028'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 6,
});

describe(`patterns in a schema (VITRINE_SEED=${seed})`, () => {
  it('match what they match here', () => {
    let written = 0;
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 20, maxLength: 20 }), (source, texts) => {
        if (readPattern(source, () => {}) === undefined) return;
        const schema = ecmaPattern(source);
        assert.ok(schema !== undefined, `${source} can be written`);
        written += 1;
        const [here, there] = [compilePattern(source), new RegExp(schema, 'u')];
        for (const one of texts)
          assert.equal(there.test(one), here.test(one), `${source} as ${schema} on ${JSON.stringify(one)}`);
      }),
      { seed, numRuns: 3_000 },
    );
    assert.ok(written > 1_000);
  });

  it('are left out where ECMAScript has no such thing', () => {
    for (const source of ['(?i)a', '[[:alpha:]]', String.raw`\Qa\E`, String.raw`\p{Greek}`])
      assert.equal(ecmaPattern(source), undefined, source);
  });
});
