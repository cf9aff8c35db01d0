import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makePeople } from '../auth/people.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';

const hidden = 4_000;
const samples = 200;

describe('the time of a search', () => {
  let app: TestApp;
  let token: string;
  before(async () => {
    app = await startApp();
    const people = await makePeople(app, 'p');
    const notes = { id: 'notes', name: 'Notes', fields: { body: { type: 'text' } } };
    await app.call('POST', '/v1/_admin/projects/p/collections', { body: notes, token: adminKey });
    token = (await people.register('ann')).accessToken;
    const create = (bodies: readonly string[], as: string) =>
      app.call('POST', '/v1/p/notes/batch', {
        body: { create: bodies.map((body) => ({ body })) },
        token: as,
      });
    await create(['mine', 'also mine'], token);
    for (let at = 0; at < hidden; at += 1_000) {
      await create(
        Array.from({ length: 1_000 }, (_, index) => `secretword ${at + index}`),
        adminKey,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 3_000)); // until the words are indexed
  });
  after(() => app.close());

  const timed = async (word: string) => {
    const start = performance.now();
    const { status, body } = await app.call('GET', `/v1/p/notes?search=${word}`, { token });
    assert.deepEqual([status, body.result.total], [200, 0]);
    return performance.now() - start;
  };

  /** How often a search for a word that only others' records have takes longer than one for a word that none has. */
  async function advantage(): Promise<number> {
    const [theirs, none]: [number[], number[]] = [[], []];
    for (let sample = 0; sample < samples; sample++) {
      // Other words each time: what was found before is remembered.
      theirs.push(await timed(`secretword%20${3 * sample}`));
      none.push(await timed(`absentword%20${3 * sample}`));
    }
    let longer = 0;
    for (const one of theirs) for (const other of none) longer += one > other ? 1 : one === other ? 0.5 : 0;
    return longer / (samples * samples);
  }

  it('does not tell whether records out of reach have a word', async (t) => {
    let found = await advantage();
    for (let attempt = 0; attempt < 3 && Math.abs(found - 0.5) >= 0.1; attempt++) found = await advantage();
    t.diagnostic(`AUC ${found.toFixed(3)} at ${hidden} hidden records`);
    assert.ok(found < 0.6, `${found}`);
  });
});
