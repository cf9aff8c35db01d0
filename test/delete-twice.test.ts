import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TestApp } from './harness.ts';
import { asAdmin, definition } from './support.ts';
import { type Nodes, startNodes } from './two-nodes.ts';

describe('two requests that delete a project at the same moment', () => {
  let nodes: Nodes;
  before(async () => {
    nodes = await startNodes();
  });
  after(() => nodes.close());

  const path = '/v1/_admin/projects/p';
  const things = definition('things', { name: { type: 'text' } });

  async function race(query: string, first: TestApp, second: TestApp): Promise<void> {
    await nodes.a.project('p', things);
    await nodes.b.call('GET', '/v1/p/things');
    const replies = await Promise.all(
      [first, second].map((app) => app.call('DELETE', `${path}${query}`, asAdmin)),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404]);
    for (const app of [nodes.a, nodes.b]) assert.equal((await app.call('GET', '/v1/p/things')).status, 404);
  }

  for (const query of ['', '?confirm=destructive']) {
    it(`are a 200 and a 404, through one node or two (${query || 'empty'})`, async () => {
      for (let turn = 0; turn < 5; turn++) {
        await race(query, nodes.a, nodes.a);
        await race(query, nodes.a, nodes.b);
      }
      assert.deepEqual([...nodes.a.errors, ...nodes.b.errors], []);
    });
  }
});
