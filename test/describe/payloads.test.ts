import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { createSchema, updateSchema } from '../../src/describe/payload-schema.ts';
import { Failure } from '../../src/failure.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { compilePayload } from '../../src/model/payload.ts';
import { readCollection } from '../../src/model/read-collection.ts';
import { seed } from '../seed.ts';
import { definitions, fitting, nearly } from './arbitrary.ts';

const runs = Number(process.env.VITRINE_RUNS ?? 50);
console.log(`test/describe/payloads: VITRINE_SEED=${seed}`);

const collections = definitions.map((raw) => readCollection(raw, new Set(['things'])));
const options = { binding: false, about: () => ({}) };

function refusal(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

/** What a schema can not say: instants are compared as such. */
const beyond = /must not be (?:before|after) |must not be there twice/;

describe('the schema of a payload', () => {
  it('describes only what is accepted', () => {
    fc.assert(
      fc.property(
        collections.chain((collection) => {
          const [create, update] = [createSchema(collection, options), updateSchema(collection, options)];
          return fc.tuple(
            fc.constant(collection),
            fc.array(fitting(create), { maxLength: 8 }),
            fitting(update),
          );
        }),
        ([collection, creations, change]) => {
          const payload = compilePayload(collection);
          for (const body of creations)
            assert.equal(
              refusal(() => payload.create(body as JsonObject, false)),
              undefined,
              JSON.stringify(body),
            );
          assert.equal(
            refusal(() => payload.update(change as JsonObject, false)),
            undefined,
          );
        },
      ),
      { numRuns: runs, seed },
    );
  });

  it('describes all that is accepted, and nothing that is refused', () => {
    const counted = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(
        collections.chain((collection) => {
          const schema = createSchema(collection, options);
          return fc.tuple(
            fc.constant(collection),
            fc.constant(schema),
            fc.array(nearly(schema), { maxLength: 12 }),
          );
        }),
        ([collection, schema, bodies]) => {
          const payload = compilePayload(collection);
          const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
          for (const body of bodies) {
            const refused = refusal(() => payload.create(body, false));
            const described = validate(body);
            const shown = `${JSON.stringify(body)}: ${refused ?? JSON.stringify(validate.errors)} by ${JSON.stringify(schema)}`;
            if (refused === undefined) assert.ok(described, shown);
            else if (!beyond.test(refused)) assert.ok(!described, shown);
            counted[refused === undefined ? 'accepted' : 'refused'] += 1;
          }
        },
      ),
      { numRuns: runs, seed },
    );
    assert.ok(counted.accepted > runs && counted.refused > runs, JSON.stringify(counted));
  });

  it('has the length up to which a pattern is matched', () => {
    const heavy = { type: 'text', pattern: '(?:[ab]{0,60}a){1,15}[cd]' };
    const fields = { code: heavy, short: { ...heavy, maxLength: 9 }, codes: { type: 'list', of: heavy } };
    const collection = readCollection({ id: 'things', fields }, new Set());
    const payload = compilePayload(collection);
    const schema = createSchema(collection, options);
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    const { code, short } = schema.properties as Record<string, JsonObject>;
    assert.equal(short?.maxLength, 9);
    const most = Number(code?.maxLength);
    for (const [length, fits] of [
      [most, true],
      [most + 1, false],
    ] as const) {
      const text = `${'a'.repeat(length - 1)}c`;
      for (const body of [{ code: text }, { codes: [text] }]) {
        assert.equal(validate(body), fits);
        assert.equal(refusal(() => payload.create(body, false)) === undefined, fits);
      }
    }
  });
});
