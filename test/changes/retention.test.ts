import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { changeRetention } from '../../src/changes/retention.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';

const day = 24 * 60 * 60_000;
const projects = ['quiet', 'long'];

describe('how long changes are kept', () => {
  let app: TestApp;
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const positions = new Map<string, string[]>();
  before(async () => {
    app = await startApp({ now });
    const notes = { id: 'notes', fields: { text: { type: 'text' } }, api: { access: 'public' } };
    for (const project of projects) {
      await app.project(project, notes);
      const first = await newest(project);
      for (let count = 0; count < 3; count++) await create(project);
      positions.set(project, [first, await newest(project)]);
    }
    await keep('long', 30);
    await app.reopen(); // and nobody uses them
  });
  after(() => app.close());

  const keep = (project: string, days: number) =>
    app.call('PATCH', `/v1/_admin/projects/${project}`, { body: { changes: { days } }, token: adminKey });
  const create = (project: string) => app.call('POST', `/v1/${project}/notes`, { body: { text: 'x' } });
  const follow = (project: string, position = '') =>
    app.call('GET', `/v1/${project}/_changes?after=${position}`);
  const newest = async (project: string) => String((await follow(project, 'now')).body.result.next);

  it('what is older goes by one node, also of projects that nobody uses', async () => {
    const catalog = app.catalog();
    const { keepUp } = catalog;
    const used: string[] = [];
    catalog.keepUp = (id, work) => {
      used.push(id);
      return keepUp.call(catalog, id, work) as never;
    };
    const job = changeRetention(catalog, now);
    const run = async () => {
      used.length = 0;
      await job.run(new AbortController().signal);
      return used.sort();
    };
    ahead += 8 * day;
    assert.deepEqual(await run(), [], 'at the start there is more urgent work');
    assert.deepEqual(await run(), ['long', 'quiet']);
    assert.deepEqual(await run(), [], 'it is known when there is something to remove next');
    const [first, last] = positions.get('quiet') ?? [];
    assert.equal((await follow('quiet', first)).status, 410);
    assert.deepEqual((await follow('quiet', last)).body.result.changes, []);
    const [position] = positions.get('long') ?? [];
    assert.equal((await follow('long', position)).status, 200);

    await keep('long', 7);
    assert.deepEqual(await run(), ['long']);
    assert.equal((await follow('long', position)).status, 410);
    await create('quiet');
    ahead += 7 * day + 1; // all of this may be done in one millisecond
    assert.deepEqual(await run(), ['long', 'quiet']);
    assert.deepEqual((await follow('quiet')).body.result.changes, []);
    assert.deepEqual(app.errors, []);
  });

  it('a project that nobody has upgraded yet is looked at seldom, so that all others have their turn', async () => {
    const catalog = app.catalog();
    const { isOutdated } = catalog;
    const looked: string[] = [];
    catalog.isOutdated = async (id) => {
      looked.push(id);
      return true;
    };
    const job = changeRetention(catalog, now);
    const run = () => job.run(new AbortController().signal);
    await run();
    await run();
    assert.deepEqual(looked.toSorted(), projects.toSorted());
    await run();
    assert.equal(looked.length, projects.length);
    ahead += 61 * 60_000;
    await run();
    assert.equal(looked.length, 2 * projects.length);
    catalog.isOutdated = isOutdated;
  });

  it('all that is older goes, however much it is', async () => {
    await app.project('many', { id: 'notes', fields: {}, api: { access: 'public' } });
    const create = Array.from({ length: 1_000 }, () => ({}));
    for (let batch = 0; batch < 23; batch++)
      assert.equal((await app.call('POST', '/v1/many/notes/batch', { body: { create } })).status, 200);
    const job = changeRetention(app.catalog(), now);
    ahead += 8 * day;
    for (let run = 0; run < 2; run++) await job.run(new AbortController().signal);
    assert.deepEqual((await follow('many')).body.result.changes, []);
  });

  it('keeps no project open that nobody uses, and closes none that somebody does', async () => {
    await app.reopen();
    const catalog = app.catalog();
    await follow('quiet');
    const job = changeRetention(catalog, now);
    for (let run = 0; run < 2; run++) await job.run(new AbortController().signal);
    await app.project('last'); // whatever is opened next
    assert.equal(catalog.openProjects, 2, 'quiet and the last');
  });
});
