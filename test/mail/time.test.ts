import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { Clock, makePeople, minute, type People } from '../auth/people.ts';
import { startApp, type TestApp } from '../harness.ts';
import { resultOf } from '../support.ts';
import { Post } from './post.ts';

const clock = new Clock();
let app: TestApp;
let people: People;
before(async () => {
  app = await startApp({ now: clock.now, mail: new Post() });
  people = await makePeople(app);
  const users = await Promise.all(['plain', 'verified', 'disabled'].map((name) => people.register(name)));
  const change = (at: number, body: object) =>
    people.manage('PATCH', `/users/${users[at]?.user._id}`, body as never);
  resultOf(await change(1, { verified: true }));
  resultOf(await change(2, { disabled: true }));
});
after(() => app.close());

/** Of four one is quicker: what else the machine does makes times longer, and never shorter. */
const quarter = (times: number[]) => times.sort((one, two) => one - two)[times.length >> 2] ?? 0;

it('how long a forgotten password takes does not tell whether anybody has the address', async () => {
  const kinds = ['plain', 'verified', 'disabled', 'nobody', 'no-one-at-all'];
  const measure = async () => {
    const times = new Map<string, number[]>(kinds.map((kind) => [kind, []]));
    for (let turn = 0; turn < 25; turn++) {
      clock.move(61 * minute); // no limit holds
      // From another one each time, so that none is always the first.
      for (const kind of [...kinds.slice(turn % kinds.length), ...kinds.slice(0, turn % kinds.length)]) {
        const start = performance.now();
        const reply = await people.auth('POST', 'forgot', { email: people.email(kind) });
        times.get(kind)?.push(performance.now() - start);
        assert.equal(reply.text, '{"ok":true,"result":{}}\n');
      }
    }
    const quarters = [...times.values()].map(quarter);
    return { factor: Math.max(...quarters) / Math.min(...quarters), quarters };
  };
  // A busy machine may spoil a measurement, but not five in a row.
  const measured = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    measured.push(await measure());
    if (measured.some(({ factor }) => factor < 1.5)) return;
  }
  assert.fail(JSON.stringify(measured));
});
