import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { asAdmin, assertRefused, resultOf } from '../support.ts';
import { type Nodes, startNodes } from '../two-nodes.ts';
import { Interruptions } from './interruptions.ts';

const interruptions = new Interruptions();
let nodes: Nodes;
before(async () => {
  nodes = await startNodes({ wrap: interruptions.wrap });
});
after(() => nodes.close());

const provider = { id: 'corp', name: 'Corp', issuer: 'https://id.example.com', clientId: 'vitrine' };

describe("changes of a project's settings on two nodes at once", () => {
  const change = (node: 'a' | 'b', project: string, body: JsonObject) =>
    nodes[node].call('PATCH', `/v1/_admin/projects/${project}`, { ...asAdmin, body });

  it('are all kept', async () => {
    await nodes.a.project('kept');
    const changes: JsonObject[] = [
      { auth: { registration: 'closed' } },
      { auth: { redirects: ['https://app.example.com/'] } },
      { auth: { mail: { senderName: 'Kept' } } },
      { auth: { providers: [{ ...provider, clientSecret: 'secret' }] } },
      { auth: { profile: { nick: { type: 'text' } } } },
      { name: 'Another' },
      { changes: { days: 3 } },
    ];
    for (const body of changes) {
      const accessTokenMinutes = 20 + changes.indexOf(body);
      interruptions.before('updateProject', async () => {
        resultOf(await change('a', 'kept', { auth: { accessTokenMinutes } }));
      });
      resultOf(await change('b', 'kept', body));
      const { auth } = resultOf(await nodes.a.call('GET', '/v1/_admin/projects/kept', asAdmin));
      assert.equal((auth as JsonObject).accessTokenMinutes, accessTokenMinutes);
    }
    const {
      name,
      auth,
      changes: kept,
    } = resultOf(await nodes.b.call('GET', '/v1/_admin/projects/kept', asAdmin));
    const { registration, redirects, mail, providers, profile } = auth as JsonObject;
    assert.deepEqual([name, kept, registration], ['Another', { days: 3 }, 'closed']);
    assert.deepEqual([redirects, mail], [['https://app.example.com/'], { senderName: 'Kept' }]);
    assert.deepEqual([providers, profile], [[provider], { nick: { type: 'text' } }]);
  });

  it('are checked against what they are merged with', async () => {
    await nodes.a.project('merged');
    const secret = { auth: { providers: [{ ...provider, clientSecret: 'secret' }] } };
    resultOf(await change('a', 'merged', secret));
    interruptions.before('updateProject', async () => {
      resultOf(await change('a', 'merged', { auth: { providers: [] } }));
    });
    const reply = await change('b', 'merged', { auth: { providers: [provider] } });
    assertRefused(reply, 400, 'auth.providers[0].clientSecret: is required');
  });
});
