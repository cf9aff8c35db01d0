import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { Catalog } from '../../src/catalog/catalog.ts';
import { type Api, localApi } from '../../src/commands/api/open-api.ts';
import { findProject, listCollections } from '../../src/commands/api/projects.ts';
import { readProject } from '../../src/commands/apply/definition-file.ts';
import { isPending, makePlan } from '../../src/commands/apply/plan.ts';
import { runPlan } from '../../src/commands/apply/run-plan.ts';
import { writeDefinitionFile } from '../../src/commands/apply/write-file.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { seed } from '../seed.ts';
import { drawn, type Storage, startStorage } from '../storage.ts';
import { randomProject } from './random-project.ts';
import { makePlace } from './support.ts';

describe(`apply after pull (VITRINE_SEED=${seed})`, () => {
  let storage: Storage;
  let api: Api;
  before(async () => {
    storage = await startStorage();
    const catalog = new Catalog(storage.open(), Date.now);
    api = localApi('here', catalog, { info() {}, error() {} });
  });
  after(async () => {
    await api.close();
    await storage.remove();
  });

  it('has nothing to do, whatever the project and whatever it was before', async () => {
    const property = fc.asyncProperty(fc.gen(), async (draw) => {
      const file = readProject(randomProject(draw));
      await runPlan(api, await makePlan(api, file), true);
      assert.equal(isPending(await makePlan(api, file)), false, 'applied twice');

      const project = (await findProject(api.admin, file.id)) ?? {};
      const collections = await listCollections(api.admin, file.id);
      const json = JSON.parse(writeDefinitionFile(project, collections, 'json')) as JsonObject;
      assert.equal(isPending(await makePlan(api, readProject(json))), false, 'JSON');
      assert.deepEqual(evaluate(writeDefinitionFile(project, collections, 'typescript')), json);
    });
    await fc.assert(property, { seed, numRuns: drawn('VITRINE_RUNS', 40, 10), endOnFailure: true });
  });
});

/** The object in `defineProject(…)`. */
function evaluate(text: string): unknown {
  const literal = /defineProject\((.*)\);\n$/s.exec(text)?.[1];
  return new Function(`return (${literal})`)();
}

describe('vitrine pull', () => {
  it('writes JSON or TypeScript that vitrine apply takes', async () => {
    const place = await makePlace();
    const id = 'small';
    const two = { id: 'two', fields: { one: { type: 'relation', to: 'one', onDelete: 'restrict' } } };
    const one = {
      id: 'one',
      name: "it's",
      fields: { two: { type: 'relation', to: 'two', kind: 'multiple' } },
    };
    const changes = { days: 30 };
    const file = await place.write('p.json', { id, name: 'Small', changes, collections: [one, two] });
    await place.expect(0, ['apply', file]);
    const printed = await place.expect(0, ['pull', '--project', id]);
    assert.equal(JSON.parse(printed.out).id, id);
    assert.deepEqual(JSON.parse(printed.out).changes, changes);
    for (const name of ['out.json', 'out.ts']) {
      await place.expect(0, ['pull', '--project', id, '--out', place.path(name)]);
      assert.match((await place.expect(0, ['apply', place.path(name), '--check'])).out, /nothing to do/);
    }
    assert.match(
      (await place.expect(1, ['pull', '--project', 'nothing'])).err,
      /there is no project 'nothing'/,
    );
    await place.expect(2, ['pull']);
    await place.expect(2, ['pull', '--project', id, '--out', 'x.yaml']);
    await place.remove();
    assert.match((await place.expect(1, ['pull', '--project', id])).err, /there is no data in/);
  });

  it('writes no secrets of providers, which stay when what it wrote is applied', async () => {
    const place = await makePlace();
    const acme = { id: 'acme', name: 'Acme', issuer: 'https://id.acme.example', clientId: 'app' };
    const auth = {
      providers: [{ ...acme, clientSecret: 'from the provider' }],
      redirects: ['https://app.example/signed-in'],
      mail: { senderName: 'App', links: { reset: 'https://app.example/reset?token={token}' } },
    };
    const file = await place.write('p.json', { id: 'app', auth, collections: [] });
    await place.expect(0, ['apply', file]);
    const out = place.path('out.json');
    await place.expect(0, ['pull', '--project', 'app', '--out', out]);
    const pulled = JSON.parse(readFileSync(out, 'utf8'));
    assert.deepEqual(pulled.auth.providers, [acme]);
    assert.match((await place.expect(0, ['apply', out, '--check'])).out, /nothing to do/);
    pulled.auth.providers[0].name = 'Acme of old';
    await place.expect(0, ['apply', await place.write('renamed.json', pulled)]);
    pulled.auth.providers.push({ ...acme, id: 'other' });
    const more = await place.write('more.json', pulled);
    const moved = { ...acme, issuer: 'https://id.other.example' };
    const other = await place.write('moved.json', { ...pulled, auth: { providers: [moved] } });
    const fresh = await place.write('fresh.json', { ...pulled, id: 'fresh', auth: { providers: [acme] } });
    for (const [path, at] of [
      [more, 1],
      [other, 0],
      [fresh, 0],
    ] as const) {
      for (const how of [[], ['--check'], ['--dry-run']]) {
        const { err } = await place.expect(1, ['apply', path, ...how]);
        assert.match(err, new RegExp(`auth\\.providers\\[${at}\\]\\.clientSecret: is required`));
      }
    }
    await place.remove();
  });
});
