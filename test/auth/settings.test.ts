import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { startApp, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, resultOf } from '../support.ts';
import { assertUnauthenticated, Clock, day, minute, People, password, second, signedIn } from './people.ts';

const clock = new Clock();
let app: TestApp;
before(async () => {
  app = await startApp({ now: clock.now });
});
after(() => app.close());

const defaults = {
  registration: 'open',
  accessTokenMinutes: 15,
  refreshTokenDays: 30,
  onUserDelete: 'keep',
  mail: {},
  profile: {},
  totp: 'optional',
  providers: [],
  redirects: [],
};

async function change(project: string, auth: JsonObject): Promise<Record<string, unknown>> {
  const path = `/v1/_admin/projects/${project}`;
  return resultOf(await app.call('PATCH', path, { body: { auth }, ...asAdmin }));
}

describe("a project's settings for signing in", () => {
  it('are shown, and those not named stay as they are', async () => {
    await app.project('shown');
    const path = '/v1/_admin/projects/shown';
    assert.deepEqual(resultOf(await app.call('GET', path, asAdmin)).auth, defaults);
    assert.deepEqual((await change('shown', { accessTokenMinutes: 5 })).auth, {
      ...defaults,
      accessTokenMinutes: 5,
    });
    assert.deepEqual((await change('shown', { registration: 'closed' })).auth, {
      ...defaults,
      accessTokenMinutes: 5,
      registration: 'closed',
    });
  });

  it('can be given when the project is made', async () => {
    const body = { id: 'made', auth: { registration: 'closed' } };
    const made = resultOf(await app.call('POST', '/v1/_admin/projects', { body, ...asAdmin }), 201);
    assert.deepEqual(made.auth, { ...defaults, registration: 'closed' });
    const people = new People(app, 'made');
    assertRefused(await people.auth('POST', 'register', { email: 'ann@example.com', password }), 403);
  });

  it('that make no sense are refused, and nothing is changed', async () => {
    await app.project('strict');
    const path = '/v1/_admin/projects/strict';
    for (const auth of [
      { registration: 'maybe' },
      { accessTokenMinutes: 0 },
      { accessTokenMinutes: 1.5 },
      { accessTokenMinutes: '15' },
      { refreshTokenDays: -1 },
      { unknown: 1 },
      'open',
      { accessTokenMinutes: 3, refreshTokenDays: 0 },
    ]) {
      assertRefused(await app.call('PATCH', path, { body: { auth }, ...asAdmin }), 400, 'auth');
    }
    assert.deepEqual(resultOf(await app.call('GET', path, asAdmin)).auth, defaults);
  });

  it('closed registration is a 403 at once, whatever is sent; signing in goes on', async () => {
    await app.project('closed');
    const people = new People(app, 'closed');
    const ann = await people.register('ann');
    await change('closed', { registration: 'closed' });
    for (const body of [
      { email: 'ben@example.com', password },
      { email: people.email('ann'), password },
      {},
    ]) {
      assertRefused(await people.auth('POST', 'register', body), 403);
    }
    assert.equal((await people.login('ann')).user._id, ann.user._id);
    signedIn(await people.refresh(ann.refreshToken));
    const body = { email: 'ben@example.com', password };
    const { key } = await people.key();
    resultOf(await people.manage('POST', '/users', body, key), 201);
    await people.login('ben');
    await change('closed', { registration: 'open' });
    await people.register('cid');
  });

  it('lifetimes hold for the tokens that are given from then on', async () => {
    await app.project('short');
    const people = new People(app, 'short');
    await people.register('ann');
    await change('short', { accessTokenMinutes: 1, refreshTokenDays: 2 });
    const tokens = await people.login('ann');
    assert.equal(tokens.expiresIn, 60);
    clock.move(minute - second);
    resultOf(await people.me(tokens.accessToken));
    clock.move(second);
    assertUnauthenticated(await people.me(tokens.accessToken));
    clock.move(2 * day - minute - second);
    const next = signedIn(await people.refresh(tokens.refreshToken));
    assert.equal(next.expiresIn, 60);
    clock.move(2 * day);
    assertUnauthenticated(await people.refresh(next.refreshToken));

    await change('short', { accessTokenMinutes: 60 });
    const longer = await people.login('ann');
    assert.equal(longer.expiresIn, 3600);
    clock.move(59 * minute);
    resultOf(await people.me(longer.accessToken));
    clock.move(minute);
    assertUnauthenticated(await people.me(longer.accessToken));
  });
});
