import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { administrator, type Caller, nobody } from '../../src/access/caller.ts';
import { audienceOf } from '../../src/describe/audience.ts';
import { openapi } from '../../src/describe/openapi.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { readCollection } from '../../src/model/read-collection.ts';
import { defaultAuth } from '../../src/store/project-record.ts';
import { buildSchema } from '../../src/store/schema.ts';
import { shop } from './shop.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const user: Caller = { kind: 'user', user: 'u', workspace: null, session: 's' };
const callers: Readonly<Record<string, Caller>> = { nobody, user, administrator };

const ids = new Set(shop.map(({ id }) => String(id)));
const rows = shop.map((raw, key) => ({
  key,
  definition: readCollection(raw, ids),
  fieldKeys: new Map<string, number>(),
}));
const schema = buildSchema(1, rows);

function documentFor(caller: Caller): JsonObject {
  return openapi({
    project: { id: 'shop', name: 'Shop', auth: defaultAuth },
    audience: audienceOf(caller, schema),
    limits: { perPage: 1000, batchOperations: 1000 },
  });
}

/** Runs a program of a package with the Node that the project has. */
function run(script: string, ...words: readonly string[]): string {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  try {
    return execFileSync(join(root, 'node_modules/.bin/node'), [join(root, script), ...words], {
      encoding: 'utf8',
      env,
      stdio: 'pipe',
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${script}: ${stdout}${stderr}`);
  }
}

describe('the OpenAPI document', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'vitrine-openapi-'));
  });
  after(() => rmSync(directory, { recursive: true }));

  const write = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };

  it('is valid to two that know the standard, for every caller', { timeout: 280_000 }, async () => {
    const rules = write('redocly.yaml', 'extends: [recommended]\nrules:\n  info-license: off\n');
    for (const [name, caller] of Object.entries(callers)) {
      const document = documentFor(caller);
      const { valid, errors } = await new Validator().validate(structuredClone(document));
      assert.ok(valid, JSON.stringify(errors));
      const file = write(`${name}.json`, JSON.stringify(document));
      const told = run(
        'node_modules/@redocly/cli/bin/cli.js',
        'lint',
        '--config',
        rules,
        '--skip-rule=operation-2xx-response', // a browser is sent on with a 302
        '--format',
        'json',
        file,
      );
      const { totals } = JSON.parse(told.slice(told.indexOf('{')));
      assert.deepEqual([totals.errors, totals.warnings], [0, 0], told);
    }
  });

  it('becomes types that compile', { timeout: 280_000 }, () => {
    const file = write('document.json', JSON.stringify(documentFor(administrator)));
    const types = join(directory, 'types.ts');
    run('test/tools/node_modules/openapi-typescript/bin/cli.js', file, '-o', types);
    const use = write(
      'use.ts',
      `import type { components, operations } from './types.ts';
const made: components['schemas']['products.create'] = { title: 'Tea', status: 'live', inStock: true };
const query: operations['products.viewAll']['parameters']['query'] = { 'price>=': 10, 'status!=': ['live'], sort: ['-price'] };
// @ts-expect-error: a number
const wrong: components['schemas']['products.create'] = { title: 'Tea', status: 'live', inStock: true, price: '5' };
export { made, query, wrong };
`,
    );
    const flags = [
      '--noEmit',
      '--strict',
      '--ignoreConfig',
      '--allowImportingTsExtensions',
      '--module',
      'nodenext',
    ];
    execFileSync(join(root, 'node_modules/.bin/tsc'), [...flags, types, use], {
      encoding: 'utf8',
      cwd: directory,
    });
  });

  it('has a parameter for each field and operator, and says where a value may be empty', () => {
    const { components } = documentFor(nobody) as { components: { parameters: Record<string, JsonObject> } };
    const named = Object.values(components.parameters).map(({ name }) => String(name));
    for (const name of [
      'price',
      'price!=',
      'price>=',
      'price<=',
      'status!=',
      'tags',
      '_id!=',
      '_createdAt>=',
    ])
      assert.ok(named.includes(name), name);
    for (const name of ['price>', 'price<', 'title>=', '_createdAt', '_owner'])
      assert.ok(!named.includes(name), name);
    const { parameters } = components;
    assert.equal(parameters['products.filter.price']?.allowEmptyValue, true);
    assert.equal(parameters['products.filter.releasedAt.ne']?.allowEmptyValue, true);
    assert.equal(parameters['products.filter.price.gte']?.allowEmptyValue, undefined);
    assert.equal(parameters['_record.filter._id']?.allowEmptyValue, undefined);
  });

  it('has the pages that the server gives: of records by --page-limit, of accounts up to 1,000', () => {
    const { components, paths } = openapi({
      project: { id: 'shop', name: 'Shop', auth: defaultAuth },
      audience: audienceOf(administrator, schema),
      limits: { perPage: 10, batchOperations: 1000 },
    }) as unknown as {
      components: { parameters: Record<string, JsonObject> };
      paths: Record<string, Record<string, { parameters: JsonObject[] }>>;
    };
    const perPage = (path: string) => {
      const named = paths[path]?.get?.parameters.map(({ $ref }) => String($ref).split('/').at(-1) ?? '');
      const found = named?.map((name) => components.parameters[name]).find((one) => one?.name === 'perPage');
      const { maximum, default: preset } = (found?.schema ?? {}) as JsonObject;
      return [maximum, preset];
    };
    assert.deepEqual(perPage('/products'), [10, 10]);
    assert.deepEqual(perPage('/products/_changes'), [10, 10]);
    assert.deepEqual(perPage('/_auth/workspaces'), [1000, 25]);
  });

  it('has the headers by which a file is called, and a browser sent on', () => {
    const { paths } = documentFor(administrator) as unknown as {
      paths: Record<string, { get: { responses: Record<string, { headers?: JsonObject }> } }>;
    };
    const headersOf = (path: string, status: number) =>
      Object.keys(paths[path]?.get.responses[status]?.headers ?? {});
    assert.deepEqual(headersOf('/products/export', 200), ['Content-Disposition']);
    assert.deepEqual(headersOf('/_auth/oidc/{provider}', 302), ['Location']);
  });

  it('has names for its operations, and no method that is switched off', () => {
    const ids: string[] = JSON.stringify(documentFor(administrator)).match(/"operationId":"[^"]+"/g) ?? [];
    for (const id of ['products.viewAll', 'products.distinct', '_auth.login', '_batch'])
      assert.ok(ids.includes(`"operationId":"${id}"`), id);
    assert.ok(!ids.includes('"operationId":"notes.export"'));
    assert.equal(new Set(ids).size, ids.length);
  });
});
