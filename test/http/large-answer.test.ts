import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { inParts } from '../../src/http/large-answer.ts';
import { encodeText, type RecordTexts } from '../../src/store/record-texts.ts';
import { seed } from '../seed.ts';

const part = 256 * 1024;
const decoder = new TextDecoder('utf-8', { fatal: true });

async function sent(parts: readonly (string | RecordTexts)[]): Promise<string> {
  let text = '';
  for await (const bytes of inParts({ parts })) {
    assert.ok(bytes.length > 0, 'no part is empty');
    text += decoder.decode(bytes); // which throws if a character is cut in two
  }
  return text;
}

/** Lengths around those at which something is cut. */
const length = fc.oneof(
  fc.integer({ min: 0, max: 50 }),
  fc.integer({ min: part - 40, max: part + 10 }),
  fc.integer({ min: 2 * part - 40, max: 2 * part + 10 }),
);
const text = fc
  .tuple(length, fc.constantFrom('a', 'é', '🦉'), fc.constantFrom('', 'x'))
  .map(([most, letter, first]) => first + letter.repeat(Math.ceil(most / letter.length)));
const record = fc.tuple(text, fc.boolean()).map(([json, isText]) => (isText ? json : encodeText(json)));

it(`a large page comes whole, in parts of whole characters, none of them empty (VITRINE_SEED=${seed})`, async () => {
  const pages = fc.array(fc.oneof(text, fc.array(record, { maxLength: 4 })), { maxLength: 4 });
  const whole = (parts: readonly (string | RecordTexts)[]) =>
    parts.map((one) => (typeof one === 'string' ? one : one.map(textOfRecord).join(','))).join('');
  const textOfRecord = (one: RecordTexts[number]) => (typeof one === 'string' ? one : decoder.decode(one));
  const check = async (parts: readonly (string | RecordTexts)[]) => {
    const expected = `{"ok":true,"result":${whole(parts)}}\n`;
    assert.ok((await sent(parts)) === expected, `${expected.length} characters`);
  };
  await fc.assert(fc.asyncProperty(pages, check), { seed, numRuns: 100 });
  const around = part - '{"ok":true,"result":'.length;
  for (let less = 0; less < 5; less++) await check(['a'.repeat(around - less)]);
});
