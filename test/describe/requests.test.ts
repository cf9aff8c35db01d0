import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { definitions, fitting } from './arbitrary.ts';

console.log(`test/describe/requests: VITRINE_SEED=${seed}`);

/** A schema of the document with what it refers to in its place. */
function resolved(value: unknown, components: JsonObject): JsonObject {
  const text = JSON.stringify(value, (_key, part) => {
    const name = typeof part?.$ref === 'string' ? part.$ref.replace('#/components/schemas/', '') : undefined;
    return name === undefined ? part : { ...(components[name] as JsonObject), ...part, $ref: undefined };
  });
  return JSON.parse(text);
}

describe('requests made from the document', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  it('are not refused for their parameters', { timeout: 280_000 }, async () => {
    for (const [at, definition] of fc.sample(definitions, { numRuns: 12, seed }).entries()) {
      const project = `q${at}`;
      await app.project(project, definition);
      const { body } = await app.call('GET', `/v1/${project}/_openapi.json`, { token: adminKey });
      const { paths, components } = body as unknown as Record<string, Record<string, JsonObject>>;
      for (const [path, verbs] of Object.entries(paths ?? {})) {
        const operation = verbs.get as JsonObject | undefined;
        if (!operation || path.startsWith('/_auth') || path.endsWith('{id}')) continue;
        const named = (operation.parameters as JsonObject[]).map(({ $ref }) => {
          const name = String($ref).replace('#/components/parameters/', '');
          return resolved(components?.parameters?.[name], components?.schemas ?? {});
        });
        for (const query of fc.sample(queries(named), { numRuns: 6, seed: seed + at })) {
          const reply = await app.call('GET', `/v1/${project}${path}?${query}`, { token: adminKey });
          assert.equal(reply.status, 200, `${path}?${query}: ${reply.text}`);
        }
      }
    }
  });

  it('are not refused for their shape', { timeout: 280_000 }, async () => {
    for (const [at, definition] of fc.sample(definitions, { numRuns: 12, seed }).entries()) {
      const project = `p${at}`;
      await app.project(project, definition);
      const { body } = await app.call('GET', `/v1/${project}/_openapi.json`, { token: adminKey });
      const { paths, components } = body as unknown as Record<string, Record<string, JsonObject>>;
      const schemas = components?.schemas ?? {};
      const bodyOf = (path: string, verb: string) => {
        const operation = paths?.[path]?.[verb] as { requestBody: { content: Record<string, JsonObject> } };
        return resolved(operation.requestBody.content['application/json']?.schema, schemas);
      };
      const { _owner: _, _workspace: __, ...own } = bodyOf('/things', 'post').properties as JsonObject;
      const creation = { ...bodyOf('/things', 'post'), properties: own };
      for (const payload of fc.sample(fitting(creation), { numRuns: 8, seed: seed + at })) {
        const reply = await app.call('POST', `/v1/${project}/things`, { body: payload, token: adminKey });
        const related =
          reply.status === 400 &&
          /^(?:f\d+(?:\[\d+\])?: [^;]*no record[^;]*(?:; )?)+$/.test(reply.body.error);
        assert.ok(
          reply.status === 201 || reply.status === 409 || related,
          `${reply.text} for ${JSON.stringify(payload)}`,
        );
        if (reply.status !== 201) continue;
        const id = String(reply.body.result._id);
        assert.equal((await app.call('GET', `/v1/${project}/things/${id}`, { token: adminKey })).status, 200);
        const changed = await app.call('PATCH', `/v1/${project}/things/${id}`, {
          body: withoutRelations(payload as JsonObject, definition),
          token: adminKey,
        });
        assert.equal(changed.status, 200, changed.text);
      }
    }
  });
});

/** A value as a client writes it: an array with commas between its elements, and a backslash before those inside one. */
function written(value: Json): string {
  if (!Array.isArray(value)) return String(value);
  return value.map((one: Json) => String(one).replaceAll(',', '\\,')).join(',');
}

/** A query string of parameters that the document has for an operation. */
function queries(parameters: readonly JsonObject[]): fc.Arbitrary<string> {
  const values = parameters
    .filter(({ in: place, name }) => place === 'query' && !['after', 'bom', 'wait'].includes(String(name)))
    .map(({ name, schema, required, allowEmptyValue }) => {
      const full = fitting(schema as JsonObject).map(written);
      const value = allowEmptyValue ? fc.oneof(full, fc.constant('')) : full;
      return fc.tuple(fc.constant(String(name)), required ? value : fc.option(value, { freq: 2 }));
    });
  return fc.tuple(...values).map((pairs) =>
    pairs
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value ?? '')}`)
      .join('&'),
  );
}

function withoutRelations(payload: JsonObject, { fields }: JsonObject): JsonObject {
  const relation = (name: string) => ((fields as JsonObject)[name] as JsonObject).type === 'relation';
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !relation(name)));
}
