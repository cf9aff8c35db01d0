import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../src/failure.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { readJsonInSteps, readJsonObject } from '../../src/model/read-json.ts';
import { seed } from '../seed.ts';

/** What it gives, or what it says. */
function outcome(read: () => JsonObject): unknown {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.message;
  }
}

function stepped(text: string, partLength: number): JsonObject {
  const steps = readJsonInSteps(text, 6, 'The body', partLength);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Mostly JSON: with blanks in odd places, and here and there something that does not belong. */
const texts = fc
  .tuple(
    fc.oneof(
      { arbitrary: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 4 })), weight: 4 },
      fc.jsonValue(),
    ),
    fc.constantFrom(undefined, 1, '\t'),
    fc.array(
      fc.record({
        at: fc.nat(),
        length: fc.nat({ max: 2 }),
        put: fc.constantFrom(
          ',',
          '[',
          ']',
          '{',
          '}',
          '"',
          ':',
          ' ',
          '1',
          '"a":1,',
          '"__proto__":1,',
          '\\',
          '\u00a0',
          '',
        ),
      }),
      { maxLength: 2 },
    ),
  )
  .map(([value, space, changes]) => {
    let text = JSON.stringify(value, null, space);
    for (const { at, length, put } of changes) {
      const index = at % (text.length + 1);
      text = text.slice(0, index) + put + text.slice(index + length);
    }
    return text;
  });

describe(`a body that is read in steps (VITRINE_SEED=${seed})`, () => {
  it('is what it is when it is read at once, or refused in the same words', () => {
    const property = fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, partLength) => {
      assert.deepEqual(
        outcome(() => stepped(text, partLength)),
        outcome(() => readJsonObject(text, 6)),
      );
    });
    fc.assert(property, { seed, numRuns: 1_500 });
  });
});
