import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { readProject } from '../../src/commands/apply/definition-file.ts';
import { definitionSchema } from '../../src/describe/definition-schema.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { randomProject } from '../commands/random-project.ts';
import { startApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { definitions } from './arbitrary.ts';
import { shop } from './shop.ts';

const validate = new Ajv2020({ strict: false }).compile(definitionSchema());
const fits = (raw: unknown) =>
  assert.ok(validate(raw), `${JSON.stringify(validate.errors)}: ${JSON.stringify(raw)}`);

describe(`the schema of definition files (VITRINE_SEED=${seed})`, () => {
  it('takes what vitrine apply takes', () => {
    fits({ $schema: 'x', id: 'shop', name: 'Shop', auth: { registration: 'closed' }, collections: shop });
    fc.assert(
      fc.property(fc.gen(), (draw) => fits(readable(randomProject(draw)))),
      { seed, numRuns: 200 },
    );
    fc.assert(
      fc.property(definitions, (one) => fits(readable({ id: 'p', collections: [one] }))),
      { seed, numRuns: 200 },
    );
  });

  it('refuses keys and values that vitrine apply refuses', () => {
    const field = (rules: JsonObject) => ({ id: 'p', collections: [{ id: 'c', fields: { a: rules } }] });
    const wrong: JsonObject[] = [
      field({ type: 'string' }),
      field({ type: 'text', min: 1 }),
      field({ type: 'number', maxLength: 1 }),
      field({ type: 'list' }),
      field({ type: 'list', of: { type: 'relation', to: 'c' } }),
      field({ type: 'relation' }),
      field({ type: 'relation', to: 'c', default: 'x' }),
      field({ type: 'text', options: [] }),
      { id: 'P', collections: [] },
      { id: 'p' },
      { id: 'p', auth: { registrations: 'closed' }, collections: [] },
      { id: 'p', auth: { accessTokenMinutes: 1_441 }, collections: [] },
      { id: 'p', auth: { refreshTokenDays: 366 }, collections: [] },
      { id: 'p', collections: [{ id: 'c', api: { access: 'all' } }] },
      { id: 'p', collections: [{ id: 'c', api: { methods: { export: { access: 'user' } } } }] },
    ];
    for (const raw of wrong) {
      assert.ok(!validate(raw), JSON.stringify(raw));
      assert.throws(() => readProject(raw), JSON.stringify(raw));
    }
  });

  it('is served for editors', async () => {
    const app = await startApp();
    const { status, headers, text } = await app.call('GET', '/v1/_admin/schema.json');
    assert.deepEqual([status, headers.get('content-type')], [200, 'application/schema+json; charset=utf-8']);
    assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(definitionSchema())));
    await app.close();
  });
});

/** What is read is good. */
function readable(raw: JsonObject): JsonObject {
  readProject(raw);
  return raw;
}
