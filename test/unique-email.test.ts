import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../src/model/json.ts';
import { startApp, type TestApp } from './harness.ts';
import { asAdmin, assertRefused, definition, makeProject, Records } from './support.ts';

const email = { type: 'email', unique: true };
const team = { team: { type: 'text' }, email: { type: 'email' }, year: { type: 'number' } };
const together = { indexes: [{ fields: ['team', 'email', 'year'], unique: true }] };

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

async function make(fields: JsonObject, more: JsonObject = {}): Promise<Records> {
  return new Records(app, `${await makeProject(app, definition('people', fields, more))}/people`);
}

describe('a unique email', () => {
  it('is taken in whatever case it is written, in any script', async () => {
    const people = await make({ email });
    await people.createAll([{ email: 'Ann@X.example' }, { email: 'ΟΔΟΣ@пример.рф' }, { email: null }, {}]);
    for (const taken of [
      'ann@x.example',
      'ANN@X.EXAMPLE',
      'Ann@X.example',
      'οδοσ@ПРИМЕР.рф'.replace('σ@', 'ς@'),
    ]) {
      assertRefused(
        await people.call('POST', '', { email: taken }),
        409,
        `email: "${taken}" is already taken`,
      );
    }
    await people.create({ email: 'anne@x.example' });
    const batch = { create: [{ email: 'bob@x.example' }, { email: 'BOB@x.example' }] };
    assertRefused(await people.call('POST', '/batch', batch), 409, 'create[1].email: ');
    assert.equal(await people.total(), 5);
  });

  it('stays as it was written, and filters are exact', async () => {
    const people = await make({ email });
    const made = await people.create({ email: 'Ann@X.example' });
    assert.equal(made.email, 'Ann@X.example');
    assert.equal(await people.total('email=Ann@X.example'), 1);
    assert.equal(await people.total('email=ann@x.example'), 0);
    assert.deepEqual(await people.distinct('fields=email'), { email: ['Ann@X.example'] });
  });

  it('can be changed in its case, given up and taken over', async () => {
    const people = await make({ email, name: { type: 'text' } });
    const [ann, bob] = await people.createAll([{ email: 'ann@x.example' }, { email: 'bob@x.example' }]);
    const [first, second] = [String(ann?._id), String(bob?._id)];
    await people.update(first, { email: 'ANN@x.example' });
    assertRefused(await people.call('PATCH', `/${second}`, { email: 'Ann@x.example' }), 409, 'email: ');
    await people.update(second, { name: 'Bob', email: 'bob@x.example' });
    await people.update(first, { email: null });
    await people.update(second, { email: 'Ann@x.example' });
    await people.remove(second);
    await people.create({ email: 'ann@x.example' });
  });

  it('in an index over several fields too', async () => {
    const people = await make(team, together);
    await people.create({ team: 'a', email: 'Ann@x.example', year: 1 });
    const same = { team: 'a', email: 'ann@X.example', year: 1 };
    assertRefused(await people.call('POST', '', same), 409, 'team, email, year: another record');
    await people.createAll([
      { ...same, team: 'A' },
      { ...same, year: 2 },
      { ...same, year: null },
    ]);
    const last = await people.create({ ...same, year: null });
    assertRefused(await people.call('PATCH', `/${last._id}`, { year: 2 }), 409, 'team, email, year: ');
    assert.equal(await people.total('team=a&email=ann@X.example&year=2'), 1);
  });

  it('can not be asked for where records contradict it', async () => {
    const people = await make({ email: { type: 'email' } });
    const project = people.path.split('/')[2];
    await people.createAll([{ email: 'ann@x.example' }, { email: 'Ann@x.example' }]);
    const put = (fields: JsonObject) =>
      app.call('PUT', `/v1/_admin/projects/${project}/collections/people`, {
        ...asAdmin,
        body: definition('people', fields),
      });
    assertRefused(await put({ email }), 409, '1 record contradicts');
    const [, second] = (await people.list()).found;
    await people.update(String(second?._id), { email: 'anne@x.example' });
    assert.equal((await put({ email })).status, 200);
    assertRefused(await people.call('POST', '', { email: 'ANNE@x.example' }), 409);
    const renamed = { address: { ...email, renamedFrom: 'email' }, name: { type: 'text' } };
    assert.equal((await put(renamed)).status, 200);
    assertRefused(await people.call('POST', '', { address: 'ANNE@x.example' }), 409, 'address: ');
    assert.equal((await put({ address: { type: 'text', unique: true } })).status, 409);
  });
});
