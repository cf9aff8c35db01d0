import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { administrator } from '../../src/access/caller.ts';
import { audienceOf } from '../../src/describe/audience.ts';
import { openapi } from '../../src/describe/openapi.ts';
import { authRoutes } from '../../src/http/auth-routes.ts';
import { batchRoutes } from '../../src/http/batch-routes.ts';
import { changeRoutes } from '../../src/http/change-routes.ts';
import { recordRoutes } from '../../src/http/record-routes.ts';
import type { Services } from '../../src/http/services.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { readCollection } from '../../src/model/read-collection.ts';
import { defaultAuth } from '../../src/store/project-record.ts';
import { buildSchema } from '../../src/store/schema.ts';
import { misfit } from '../fits.ts';
import { seed } from '../seed.ts';

const definition = readCollection(
  {
    id: 'things',
    fields: {
      a: { type: 'text', options: ['x', 'y'] },
      b: { type: 'number', required: true },
      c: { type: 'list', of: { type: 'datetime' } },
      d: { type: 'relation', to: 'things' },
    },
  },
  new Set(['things']),
);
const document = openapi({
  project: { id: 'p', name: 'p', auth: defaultAuth },
  audience: audienceOf(administrator, buildSchema(1, [{ key: 1, definition, fieldKeys: new Map() }])),
  limits: { perPage: 1000, batchOperations: 1000 },
});

it('every address of records and accounts is described, with each of its verbs', () => {
  const services = { catalog: {}, limits: {} } as unknown as Services; // what answers is not asked here
  const routes = [authRoutes, batchRoutes, changeRoutes, recordRoutes].flatMap((make) => make(services));
  const there = routes.flatMap(({ path, verbs }) => {
    const named = path
      .replace('/v1/:project', '')
      .replace(':collection', 'things')
      .replaceAll(/:(\w+)/g, '{$1}');
    return Object.keys(verbs).map((verb) => `${verb} ${named}`);
  });
  const described = Object.entries(document.paths as JsonObject).flatMap(([path, verbs]) =>
    Object.keys(verbs as JsonObject).map((verb) => `${verb.toUpperCase()} ${path}`),
  );
  assert.deepEqual(described.sort(), there.sort(), 'add what is new to src/describe');
});

describe(`what holds answers against the document (VITRINE_SEED=${seed})`, () => {
  const { schemas } = document.components as { schemas: JsonObject };
  const ajv = new Ajv2020({
    strict: false,
    formats: {
      uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    },
  });
  ajv.addSchema({ $id: 'document', components: document.components });

  it('finds what an independent validator finds', () => {
    const mostly = (good: Json, ...bad: readonly Json[]) =>
      fc.oneof({ arbitrary: fc.constant(good), weight: 20 }, fc.constantFrom<Json[]>(...bad));
    const id = mostly('01890000-0000-7000-8000-000000000000', 'x', null);
    const instant = mostly('2026-01-02T03:04:05.678Z', '2026-01-02', 5);
    const record = fc.record(
      {
        ...{ _id: id, _createdAt: instant, _updatedAt: instant, a: mostly('x', 'z', null), d: id },
        ...{ b: mostly(1, 'x', null), c: fc.array(instant, { maxLength: 2 }), more: fc.constant(1) },
      },
      { requiredKeys: ['_id'] },
    );
    const whole = mostly(1, 0, 1.5, 'x');
    const page = fc.record(
      {
        page: whole,
        perPage: whole,
        total: whole,
        totalPages: whole,
        found: fc.array(record, { maxLength: 2 }),
      },
      { requiredKeys: ['found', 'page'] },
    );
    const counted = { fits: 0, not: 0 };
    for (const [name, values] of [
      ['things', record],
      ['things.part', record],
      ['things.page', page],
    ] as const) {
      const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
      fc.assert(
        fc.property(values as fc.Arbitrary<Json>, (value) => {
          const found = misfit(value, schemas[name] ?? null, document);
          assert.equal(found === undefined, validate(value), `${JSON.stringify(value)}: ${found}`);
          counted[found === undefined ? 'fits' : 'not'] += 1;
        }),
        { seed, numRuns: 1_000 },
      );
    }
    assert.ok(counted.fits > 5 && counted.not > 100, JSON.stringify(counted));
  });
});
