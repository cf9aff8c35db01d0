import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { adminKey, type CallOptions, type Reply, startApp, type TestApp } from '../harness.ts';
import { assertRefused, resultOf } from '../support.ts';
import {
  assertUnauthenticated,
  Clock,
  makeAdministrator,
  makePeople,
  People,
  type Place,
  password,
  second,
  startPlace,
} from './people.ts';

const clock = new Clock();
let place: Place;
let app: TestApp;
let people: People;
before(async () => {
  place = await startPlace({ now: clock.now });
  app = place.app;
  people = await makePeople(app);
  await Promise.all(['ann', 'ben'].map((name) => people.register(name)));
});
after(() => place.close());

const wrong = (options: CallOptions = {}, name = 'ann') => people.tryLogin(name, 'not the password', options);

function assertLimited(reply: Reply, most = 60): void {
  assertRefused(reply, 429);
  const wait = Number(reply.headers.get('retry-after'));
  assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= most, `Retry-After: ${wait}`);
}

/** Ten failures, which is what is allowed in a minute. */
async function fail(options: CallOptions, name = 'ann'): Promise<void> {
  for (let turn = 0; turn < 10; turn++) assertUnauthenticated(await wrong(options, name));
}

describe('failed sign-ins', () => {
  it('after ten in a minute get 429, with the right password too, until a minute after the first', async () => {
    const peer = '10.1.0.1';
    assertUnauthenticated(await wrong({ peer }));
    clock.move(30 * second);
    for (let turn = 1; turn < 10; turn++) assertUnauthenticated(await wrong({ peer }));
    const limited = await wrong({ peer });
    assertLimited(limited, 30);
    assert.equal(limited.headers.get('retry-after'), '30');
    assertLimited(await people.tryLogin('ann', password, { peer }), 30);
    clock.move(29 * second);
    assertLimited(await people.tryLogin('ann', password, { peer }), 1);
    clock.move(second);
    resultOf(await people.tryLogin('ann', password, { peer }));
    assertUnauthenticated(await wrong({ peer }));
    assertLimited(await people.tryLogin('ann', password, { peer }), 30);
  });

  it('are those of the last minute also where the clock is set back', async () => {
    const peer = '10.1.0.2';
    await fail({ peer });
    clock.move(-60 * 60 * second);
    resultOf(await people.tryLogin('ann', password, { peer }));
    clock.move(60 * 60 * second);
  });

  it('count for one account and one address: another of either is not affected', async () => {
    const peer = '10.2.0.1';
    await fail({ peer });
    assertLimited(await people.tryLogin('ann', password, { peer }));
    resultOf(await people.tryLogin('ben', password, { peer }));
    resultOf(await people.tryLogin('ann', password, { peer: '10.2.0.2' }));
    resultOf(await people.tryLogin('ann', password, { peer: '::1' }));
  });

  it('count for the account in whatever case the address is written, and in each project by itself', async () => {
    const peer = '10.3.0.1';
    const emails = ['ann@example.com', 'ANN@example.com', 'Ann@Example.com', ' ann@example.com '];
    for (let turn = 0; turn < 10; turn++) {
      const body = { email: emails[turn % 4] ?? '', password: 'not the password' };
      assertUnauthenticated(await people.auth('POST', 'login', body, { peer }));
    }
    assertLimited(await people.tryLogin('ann', password, { peer }));
    await app.project('elsewhere');
    const elsewhere = new People(app, 'elsewhere');
    await elsewhere.register('ann');
    resultOf(await elsewhere.tryLogin('ann', password, { peer }));
  });

  it('count for an address that nobody has in the same way, with the same bytes', async () => {
    const peer = '10.4.0.1';
    await fail({ peer }, 'nobody');
    await fail({ peer });
    const [known, unknown] = [await wrong({ peer }), await wrong({ peer }, 'nobody')];
    assertLimited(known);
    assert.deepEqual([known.text, [...known.headers]], [unknown.text, [...unknown.headers]]);
  });

  it('twenty at once are as many as twenty in a row', async () => {
    const peer = '10.5.0.1';
    const replies = await Promise.all(Array.from({ length: 20 }, () => wrong({ peer })));
    const statuses = replies.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(10).fill(429)]);
    assertLimited(await people.tryLogin('ann', password, { peer }));
  });

  it('are not what succeeds: many sign-ins in a row, and twenty at once, all work', async () => {
    const peer = '10.6.0.1';
    for (let turn = 0; turn < 12; turn++) resultOf(await people.tryLogin('ann', password, { peer }));
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => people.tryLogin('ann', password, { peer })),
    );
    assert.deepEqual(
      replies.map(({ status }) => status),
      Array(20).fill(200),
    );
  });

  it('are not forgotten by one success in between', async () => {
    const peer = '10.7.0.1';
    for (let turn = 0; turn < 9; turn++) assertUnauthenticated(await wrong({ peer }));
    resultOf(await people.tryLogin('ann', password, { peer }));
    assertUnauthenticated(await wrong({ peer }));
    assertLimited(await wrong({ peer }));
  });

  it('are counted for guesses of currentPassword with a token, too', async () => {
    const { accessToken: token } = await people.login('ben');
    const peer = '10.8.0.1';
    const guess = (currentPassword: string) =>
      people.auth('PATCH', 'me', { password: 'a new password', currentPassword }, { token, peer });
    for (let turn = 0; turn < 10; turn++) assertRefused(await guess('not the password'), 400);
    assertLimited(await guess(password));
  });

  it("are counted for the administrator's sign-in, too", async () => {
    await makeAdministrator(place.storage, 'root@example.com', password);
    const login = (secret: string, peer: string) =>
      app.call('POST', '/v1/_admin/login', { body: { email: 'root@example.com', password: secret }, peer });
    for (let turn = 0; turn < 10; turn++) assertUnauthenticated(await login('not the password', '10.9.0.1'));
    assertLimited(await login(password, '10.9.0.1'));
    resultOf(await login(password, '10.9.0.2'));
    resultOf(await app.call('GET', '/v1/_admin/projects', { token: adminKey, peer: '10.9.0.1' }));
  });
});

describe('X-Forwarded-For', () => {
  const from = (address: string, peer: string): CallOptions => ({
    peer,
    headers: { 'x-forwarded-for': address },
  });

  it('does not get around the limit, nor put it on somebody else', async () => {
    const peer = '10.20.0.1';
    for (let turn = 0; turn < 10; turn++) assertUnauthenticated(await wrong(from(`192.0.2.${turn}`, peer)));
    assertLimited(await people.tryLogin('ann', password, from('192.0.2.99', peer)));
    await fail(from('10.20.0.3', '10.20.0.2'));
    resultOf(await people.tryLogin('ann', password, { peer: '10.20.0.3' }));
  });

  it('of a trusted proxy is believed, as far as the proxy wrote it', async () => {
    const trusting = await startApp({ now: clock.now, trustProxy: '10.30.0.0/16, ::1' });
    try {
      const there = await makePeople(trusting);
      await there.register('ann');
      const login = (address: string, secret: string, peer = '10.30.0.1') =>
        there.tryLogin('ann', secret, from(address, peer));
      for (let turn = 0; turn < 10; turn++) {
        const claimed = `192.0.2.${turn}, 198.51.100.7${turn % 2 ? ', 10.30.0.9' : ''}`;
        assertUnauthenticated(await login(claimed, 'not the password', turn % 3 ? '10.30.0.1' : '::1'));
      }
      assertLimited(await login('198.51.100.7', password));
      assertLimited(await there.tryLogin('ann', password, { peer: '198.51.100.7' }));
      resultOf(await login('198.51.100.8', password));
      resultOf(await login('198.51.100.7', password, '203.0.113.1'));
      resultOf(await there.tryLogin('ann', password, { peer: '10.30.0.1' }));
    } finally {
      await trusting.close();
    }
  });

  it('may have ports: it is the address that counts', async () => {
    const trusting = await startApp({ now: clock.now, trustProxy: '10.30.0.0/16' });
    try {
      const there = await makePeople(trusting);
      await there.register('ann');
      const login = (address: string, secret: string) =>
        there.tryLogin('ann', secret, from(address, '10.30.0.1'));
      for (const written of ['198.51.100.7:', '[2001:db8:1::7]:']) {
        for (let turn = 0; turn < 10; turn++)
          assertUnauthenticated(await login(`${written}${4000 + turn}`, 'not the password'));
        assertLimited(await login(`${written}443`, password));
      }
      assertLimited(await login('2001:db8:1::7', password));
      assertLimited(await login('[2001:db8:1::7]', password));
      resultOf(await login('198.51.100.8:4000', password));
      resultOf(await login('[2001:db8:2::7]:4000', password));
    } finally {
      await trusting.close();
    }
  });
});
