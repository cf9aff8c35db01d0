import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Engine } from '../../src/store/engine.ts';
import { assertUnauthenticated, makePeople, type People, password, type SignedIn } from '../auth/people.ts';
import { startApp, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, type Listed, pause, resultOf } from '../support.ts';

const admin = '/v1/_admin';
const path = '/v1/shop/user/export?format=csv';
let app: TestApp;
let people: People;
let ann: SignedIn;

/** What happens once, just before an outcome is in the audit or links are withdrawn. */
const interruptions = new Map<'finish' | 'withdraw', () => Promise<unknown>>();

async function interrupt(when: 'finish' | 'withdraw'): Promise<void> {
  const work = interruptions.get(when);
  interruptions.delete(when);
  await work?.();
}

const wrap = (engine: Engine): Engine => ({
  ...engine,
  administrators: {
    ...engine.administrators,
    withdrawInvitations: async (isIt) => {
      await interrupt('withdraw');
      return engine.administrators.withdrawInvitations(isIt);
    },
  },
  audit: {
    ...engine.audit,
    finish: async (id, result) => {
      await interrupt('finish');
      await engine.audit.finish(id, result);
    },
  },
});

before(async () => {
  app = await startApp({ wrap });
  people = await makePeople(app);
  ann = await people.register('ann');
  await administrator('first@example.com');
});
after(() => app.close());

/** The token of one who was invited. */
async function administrator(email: string): Promise<string> {
  const invited = await app.call('POST', `${admin}/administrators`, { ...asAdmin, body: { email } });
  const token = String(resultOf(invited, 201).link).split('#')[1] ?? '';
  const made = await app.call('POST', `${admin}/setup`, { body: { token, email, password } });
  return String(resultOf(made, 201).accessToken);
}

async function remove(email: string): Promise<void> {
  const list = resultOf(await app.call('GET', `${admin}/administrators`, asAdmin)) as unknown as Listed;
  const id = list.found.find((one) => one.email === email)?._id;
  resultOf(await app.call('DELETE', `${admin}/administrators/${id}`, asAdmin));
}

async function ticket(token: string): Promise<string> {
  const made = await app.call('POST', `${admin}/ticket`, { body: { path }, token });
  return `${path}&ticket=${resultOf(made).ticket}`;
}

async function impersonate(token: string): Promise<string> {
  const body = { minutes: 60, reason: 'Ticket 7' };
  const user = `${admin}/projects/shop/users/${ann.user._id}/impersonate`;
  return String(resultOf(await app.call('POST', user, { body, token })).accessToken);
}

describe('an administrator who is removed', () => {
  it('leaves no ticket and acts for no user any more', async () => {
    const gone = await administrator('gone@example.com');
    const stays = await administrator('stays@example.com');
    const [address, kept] = [await ticket(gone), await ticket(stays)];
    const [acting, other] = [await impersonate(gone), await impersonate(stays)];
    resultOf(await people.me(acting));
    await remove('gone@example.com');
    assertUnauthenticated(await app.call('GET', address));
    assertUnauthenticated(await people.me(acting));
    assert.equal((await app.call('GET', kept)).status, 200);
    resultOf(await people.me(other));
    resultOf(await people.me(ann.accessToken));
  });

  it('gets no more of an export, for themselves or for a user', async () => {
    const create = Array.from({ length: 40 }, () => ({ text: 'one of many' }));
    resultOf(await people.records('POST', 'user/batch', { create }, { token: ann.accessToken }));
    const begin = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const url = 'http://vitrine.test/v1/shop/user/export?format=ndjson';
      const reader = (await app.fetch(new Request(url, { headers }))).body?.getReader();
      for (const _ of ['the head', 'the first page']) assert.equal((await reader?.read())?.done, false);
      return async () => {
        while (!(await reader?.read())?.done);
      };
    };
    const gone = await administrator('exporting@example.com');
    const stays = await administrator('exporting-too@example.com');
    const ended = [await begin(gone), await begin(await impersonate(gone))];
    const whole = [await begin(stays), await begin(await impersonate(stays))];
    await app.catalog().administrators.save('exporting@example.com', 'the hash of another password');
    await pause(300);
    for (const rest of ended) await assert.rejects(rest, /may not have the rest/);
    for (const rest of whole) await rest();
    assert.equal(app.errors.splice(0).length, ended.length);
  });

  it('acts for no user any more also where they only get a new password, past the server', async () => {
    const [acting, other] = [
      await impersonate(await administrator('renewed@example.com')),
      await impersonate(await administrator('the-same@example.com')),
    ];
    const stream = await app.fetch(
      new Request('http://vitrine.test/v1/shop/user/_changes?after=now', {
        headers: { authorization: `Bearer ${acting}`, accept: 'text/event-stream' },
      }),
    );
    const events = stream.text();
    await app.catalog().administrators.save('renewed@example.com', 'the hash of another password');
    assertUnauthenticated(await people.me(acting));
    resultOf(await people.records('POST', 'user', { text: 'x' }, { token: ann.accessToken }), 201);
    assert.match(await events, /event: end/);
    assert.doesNotMatch(await events, /event: create/);
    resultOf(await people.me(other));
  });

  it('leaves no link by which they could come back under another address', async () => {
    const gone = await administrator('gone@example.com');
    const stays = await administrator('stays-too@example.com');
    const invite = async (token: string, email: string) => {
      const reply = await app.call('POST', `${admin}/administrators`, { token, body: { email } });
      return String(resultOf(reply, 201).link).split('#')[1] ?? '';
    };
    const setup = (token: string, email: string) =>
      app.call('POST', `${admin}/setup`, { body: { token, email, password } });
    resultOf(await setup(await invite(gone, 'joined@example.com'), 'joined@example.com'), 201);
    const [back, other] = [await invite(gone, 'back@example.com'), await invite(stays, 'other@example.com')];
    await invite(gone, 'again@example.com');
    const again = await invite(stays, 'again@example.com');
    await remove('gone@example.com');
    assertRefused(await setup(back, 'back@example.com'), 403);
    resultOf(await setup(again, 'again@example.com'), 201);
    resultOf(await setup(other, 'other@example.com'), 201);
    await remove('joined@example.com'); // who had become one
  });

  it('leaves none also where they make it in the very moment, or all ends once they are removed', async () => {
    const other = await administrator('other-one@example.com');
    for (const [when, email] of [
      ['finish', 'gone@example.com'],
      ['withdraw', 'gone-too@example.com'],
    ] as const) {
      const token = await administrator(email);
      const invite = async (by: string, address: string) => {
        const body = { email: address };
        const reply = await app.call('POST', `${admin}/administrators`, { token: by, body });
        return String(resultOf(reply, 201).link).split('#')[1] ?? '';
      };
      const setup = (link: string, address: string) =>
        app.call('POST', `${admin}/setup`, { body: { token: link, email: address, password } });
      await invite(other, 'back@example.com'); // which theirs replaces
      const kept = await invite(other, 'kept@example.com');
      if (when === 'finish') interruptions.set(when, () => remove(email));
      const back = await invite(token, 'back@example.com');
      const late = await invite(other, 'late@example.com');
      if (when === 'withdraw') {
        interruptions.set(when, () => Promise.reject(new Error('the process ends')));
        await remove(email);
        assert.equal(app.errors.splice(0).length, 1);
      }
      assertRefused(await setup(back, 'back@example.com'), 403);
      resultOf(await setup(late, 'late@example.com'), 201);
      if (when === 'withdraw') resultOf(await setup(kept, 'kept@example.com'), 201);
      await remove('late@example.com');
    }
  });

  it('is removed, also where a project that they helped in is gone', async () => {
    const gone = await administrator('gone@example.com');
    await app.project('short');
    const made = await app.call('POST', `${admin}/projects/short/users`, {
      ...asAdmin,
      body: { email: 'x@example.com', password },
    });
    const user = `${admin}/projects/short/users/${resultOf(made, 201)._id}/impersonate`;
    resultOf(await app.call('POST', user, { token: gone, body: { minutes: 5, reason: 'x' } }));
    resultOf(await app.call('DELETE', `${admin}/projects/short?confirm=destructive`, asAdmin));
    await remove('gone@example.com');
    assert.deepEqual(app.errors, []);
  });
});

describe('an administrator who signs out', () => {
  it('leaves no ticket', async () => {
    const token = await administrator('out@example.com');
    const address = await ticket(token);
    resultOf(await app.call('POST', `${admin}/logout`, { token }));
    assertUnauthenticated(await app.call('GET', address));
  });
});
