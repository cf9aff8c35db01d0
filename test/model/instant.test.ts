import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatInstant, parseInstant } from '../../src/model/instant.ts';
import { seed } from '../seed.ts';

describe(`a date and time (VITRINE_SEED=${seed})`, () => {
  const years = { min: new Date('0000-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z') };

  it('is read as it is written, and as other forms of the same instant are', () => {
    fc.assert(
      fc.property(fc.date({ ...years, noInvalidDate: true }), (date) => {
        const text = formatInstant(date.getTime());
        const forms = [text, text.toLowerCase(), text.replace('.', ','), text.replace('Z', '+00:00')];
        assert.deepEqual(
          forms.map(parseInstant),
          forms.map(() => date.getTime()),
        );
      }),
      { seed },
    );
  });

  it('is written as the runtime writes it, whatever was written before', () => {
    const dates = fc.date({ noInvalidDate: true });
    const near = fc.integer({ min: -3_000, max: 3_000 });
    fc.assert(
      fc.property(dates, fc.array(near, { maxLength: 20 }), (date, distances) => {
        for (const distance of [0, ...distances]) {
          const instant = date.getTime() + distance;
          if (Math.abs(instant) > 8.64e15) continue; // there is no such date
          assert.equal(formatInstant(instant), new Date(instant).toISOString());
        }
      }),
      { seed },
    );
    assert.throws(() => formatInstant(Number.NaN), RangeError);
  });

  it('that there is not is none, however it is written', () => {
    const wrong = ['2026-02-29', '2026-13-01', '2026-01-32', '2026-00-10'];
    const texts = wrong.flatMap((day) => [day, `${day}T00:00:00.000Z`, `${day}T00:00:00Z`]);
    const hours = ['24:00:00.000', '23:60:00.000', '23:59:60.000'].map((time) => `2026-01-01T${time}Z`);
    const others = [
      '2026-01-01 00:00:00.000Z',
      '2026-01-01T00:00:00.000+',
      '+002026-01-01T00:00:00Z',
      'Thu, 01 Jan 1970 00:00Z',
    ];
    for (const text of [...texts, ...hours, ...others]) assert.equal(parseInstant(text), undefined, text);
  });
});
