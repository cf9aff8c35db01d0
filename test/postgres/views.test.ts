import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import fc from 'fast-check';
import { ProjectDatabase } from '../../src/store/engines/postgres/project-database.ts';
import { makePeople, notes, type People } from '../auth/people.ts';
import { seed } from '../seed.ts';
import { resultOf, strangerId } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';

const levels = ['public', 'user', 'workspace'] as const;

describe('records that are asked for together', () => {
  let app: PostgresApp;
  let people: People;
  const tokens: (string | undefined)[] = [undefined];
  const ids: string[] = [strangerId];
  before(async () => {
    app = await startPostgresApp();
    people = await makePeople(app);
    for (const name of ['ann', 'bob']) {
      const person = await people.register(name);
      const workspace = await people.workspace(person, `${name}'s`);
      tokens.push((await people.switch(person, workspace)).accessToken);
    }
    for (const token of tokens.slice(1)) {
      for (const level of levels) {
        for (let number = 0; number < 12; number++) {
          const text = `${level} ${number} "quoted" \\ {}, NULL`;
          const made = await people.records('POST', level, { text }, { token });
          ids.push(String(resultOf(made, 201)._id));
        }
      }
    }
  });
  after(() => app.close());

  interface Asked {
    readonly level: string;
    readonly id: string;
    readonly token: string | undefined;
  }
  const view = ({ level, id, token }: Asked) => people.records('GET', `${level}/${id}`, undefined, { token });
  const asked = () =>
    fc.record({
      level: fc.constantFrom(...levels),
      id: fc.constantFrom(...ids),
      token: fc.constantFrom(...tokens),
    });

  it(`are answered as each is by itself (seed ${seed})`, async () => {
    const alone = new Map<string, unknown>();
    const answerOf = async (one: Asked) => {
      const key = JSON.stringify(one);
      if (!alone.has(key)) alone.set(key, (await view(one)).text);
      return alone.get(key);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(asked(), { minLength: 2, maxLength: 80 }), async (all) => {
        const replies = await Promise.all(all.map(view));
        for (const [index, one] of all.entries()) assert.equal(replies[index]?.text, await answerOf(one));
      }),
      { seed, numRuns: 30 },
    );
    assert.ok(alone.size > 100);
  });

  it('are read many at a time', async () => {
    const read = mock.method(ProjectDatabase.prototype, 'read');
    const found = await Promise.all(
      ids.slice(1, 13).map((id) => view({ level: 'public', id, token: undefined })),
    );
    assert.ok(found.every(({ status }) => status === 200));
    assert.ok(read.mock.callCount() <= 6, `${read.mock.callCount()} statements for 12 records`);
    read.mock.resetCalls();
    const twice = [...ids.slice(1, 13), ...ids.slice(1, 13)];
    await Promise.all(twice.map((id) => view({ level: 'public', id, token: undefined })));
    assert.ok(read.mock.callCount() <= 12, `${read.mock.callCount()} statements for 24 records`);
    mock.restoreAll();
  });

  it('are there before and after a change of their definition', async () => {
    const path = '/collections/public';
    const fields = { note: { type: 'text' }, text: { type: 'text' } };
    const changed = { ...notes('public', 'public'), fields };
    const changing = people.manage('PUT', path, changed);
    let done = false;
    void changing.then(() => {
      done = true;
    });
    do {
      const replies = await Promise.all(
        ids.slice(1, 13).map((id) => view({ level: 'public', id, token: undefined })),
      );
      for (const reply of replies) resultOf(reply);
    } while (!done);
    resultOf(await changing);
    const [first] = await Promise.all(
      ids.slice(1, 3).map((id) => view({ level: 'public', id, token: undefined })),
    );
    assert.ok(first && 'note' in resultOf(first));
  });
});
