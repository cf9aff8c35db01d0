import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stepOfCode, totpCode } from '../../src/access/totp.ts';
import type { Reply } from '../harness.ts';
import { asAdmin, assertRefused, resultOf } from '../support.ts';
import { Interruptions } from './interruptions.ts';
import {
  assertUnauthenticated,
  Clock,
  makeAdministrator,
  makePeople,
  minute,
  type People,
  type Place,
  password,
  type SignedIn,
  second,
  signedIn,
  startPlace,
} from './people.ts';

const clock = new Clock();
const interruptions = new Interruptions();
let place: Place;
let people: People;
before(async () => {
  place = await startPlace({ now: clock.now, wrap: interruptions.wrap });
  people = await makePeople(place.app);
});
after(() => place.close());

/** What the app on a phone shows, so many steps from now. */
const codeOf = (secret: string, steps = 0) => totpCode(secret, Math.floor(clock.now() / 30_000) + steps);
/** None of those that are good now: the codes of the step before and of the next one are, too. */
function wrong(secret: string): string {
  const good = [-1, 0, 1].map((steps) => codeOf(secret, steps));
  return ['000000', '111111', '222222', '333333'].find((code) => !good.includes(code)) ?? '';
}

interface Enrolled {
  readonly user: SignedIn;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

async function enrol(name: string): Promise<Enrolled> {
  const user = await people.register(name);
  const token = { token: user.accessToken };
  const { secret } = resultOf(await people.auth('POST', 'totp', undefined, token));
  const confirmed = await people.auth('POST', 'totp/confirm', { code: codeOf(String(secret)) }, token);
  const { recoveryCodes } = resultOf(confirmed) as unknown as { recoveryCodes: string[] };
  clock.move(minute);
  return { user, secret: String(secret), recoveryCodes };
}

async function firstHalf(name: string): Promise<string> {
  const { factorToken, ...rest } = resultOf(await people.tryLogin(name));
  assert.deepEqual(rest, { expiresIn: 300 });
  return String(factorToken);
}

const secondHalf = (factorToken: string, code: string): Promise<Reply> =>
  people.auth('POST', 'login/totp', { factorToken, code });

describe('codes', () => {
  it('are those of RFC 6238', () => {
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'; // 12345678901234567890
    for (const [time, code] of [
      [59, '287082'],
      [1111111109, '081804'],
      [1111111111, '050471'],
      [1234567890, '005924'],
      [2000000000, '279037'],
      [20000000000, '353130'],
    ] as const) {
      assert.equal(totpCode(secret, Math.floor(time / 30)), code);
      for (const off of [-30, 0, 30]) {
        assert.equal(stepOfCode(secret, code, (time + off) * 1000), Math.floor(time / 30));
      }
      for (const off of [-60, 60]) assert.equal(stepOfCode(secret, code, (time + off) * 1000), undefined);
    }
    for (const code of ['', '28708', '2870820', ' 87082', '２８７０８２']) {
      assert.equal(stepOfCode(secret, code, 59_000), undefined);
    }
  });
});

describe('a second factor', () => {
  it('is asked for once it is confirmed, and not before', async () => {
    const ann = await people.register('ann');
    const token = { token: ann.accessToken };
    const { secret, uri } = resultOf(await people.auth('POST', 'totp', undefined, token));
    assert.equal(uri, `otpauth://totp/shop:ann%40example.com?secret=${secret}&issuer=shop`);
    await people.login('ann');
    assertRefused(
      await people.auth('POST', 'totp/confirm', { code: wrong(String(secret)) }, token),
      400,
      'code',
    );
    const code = codeOf(String(secret));
    const { recoveryCodes } = resultOf(await people.auth('POST', 'totp/confirm', { code }, token));
    assert.equal(new Set(recoveryCodes as string[]).size, 10);
    const half = await firstHalf('ann');
    assertUnauthenticated(await secondHalf(half, code)); // it was used to confirm
    clock.move(minute);
    const done = signedIn(await secondHalf(half, codeOf(String(secret))));
    assert.equal(done.user._id, ann.user._id);
    assertUnauthenticated(await secondHalf(half, codeOf(String(secret), 1))); // the half is spent
    assertRefused(await people.auth('POST', 'totp', undefined, token), 409);
    assertRefused(await people.auth('POST', 'totp/confirm', { code: codeOf(String(secret), 1) }, token), 409);
  });

  it('is the one of which a code was sent, not one that was begun in the very moment', async () => {
    const token = { token: (await people.register('abe')).accessToken };
    const begin = async () => String(resultOf(await people.auth('POST', 'totp', undefined, token)).secret);
    const confirm = (secret: string) => people.auth('POST', 'totp/confirm', { code: codeOf(secret) }, token);
    const first = await begin();
    let other = '';
    interruptions.before('confirmFactor', async () => {
      other = await begin();
    });
    assertRefused(await confirm(first), 409, 'begun anew');
    await people.login('abe'); // nothing is asked for yet
    resultOf(await confirm(other));
    clock.move(minute);
    signedIn(await secondHalf(await firstHalf('abe'), codeOf(other)));
  });

  it('is asked for also where it is confirmed in the very moment of a sign-in', async () => {
    const token = { token: (await people.register('amy')).accessToken };
    const { secret } = resultOf(await people.auth('POST', 'totp', undefined, token));
    interruptions.before('openSession', async () => {
      const code = codeOf(String(secret));
      resultOf(await people.auth('POST', 'totp/confirm', { code }, token));
    });
    assertUnauthenticated(await people.tryLogin('amy'));
    clock.move(minute);
    signedIn(await secondHalf(await firstHalf('amy'), codeOf(String(secret))));
  });

  it('takes a code once, also where two come at the same moment, and none of before', async () => {
    const { secret } = await enrol('bea');
    const halves = [await firstHalf('bea'), await firstHalf('bea')];
    const code = codeOf(secret);
    const replies = await Promise.all(halves.map((half) => secondHalf(half, code)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401]);
    assertUnauthenticated(await secondHalf(await firstHalf('bea'), codeOf(secret, -1)));
    clock.move(30 * second);
    signedIn(await secondHalf(await firstHalf('bea'), codeOf(secret)));
  });

  it('takes each recovery code once, however it is typed', async () => {
    const { recoveryCodes } = await enrol('cid');
    const [one = '', two = ''] = recoveryCodes;
    signedIn(await secondHalf(await firstHalf('cid'), one));
    assertUnauthenticated(await secondHalf(await firstHalf('cid'), one));
    signedIn(await secondHalf(await firstHalf('cid'), ` ${two.toUpperCase().replaceAll('-', ' ')} `));
    const { recoveryCodes: others } = await enrol('cleo');
    assertUnauthenticated(await secondHalf(await firstHalf('cid'), others[0] ?? ''));
  });

  it('refuses after five wrong codes in five minutes, of many at the same moment too', async () => {
    const { secret, recoveryCodes } = await enrol('dan');
    const half = await firstHalf('dan');
    const replies = await Promise.all(Array.from({ length: 12 }, () => secondHalf(half, wrong(secret))));
    const statuses = replies.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 401).length, 5);
    assert.equal(statuses.filter((status) => status === 429).length, 7);
    const refused = replies.find(({ status }) => status === 429);
    assert.equal(refused?.headers.get('retry-after'), '300');
    assertRefused(await secondHalf(half, codeOf(secret)), 429);
    assertRefused(await secondHalf(half, recoveryCodes[0] ?? ''), 429);
    clock.move(5 * minute);
    assertUnauthenticated(await secondHalf(half, codeOf(secret))); // the half has expired
    signedIn(await secondHalf(await firstHalf('dan'), codeOf(secret)));
  });

  it('refuses nobody for the codes that were wrong because the clock was', async () => {
    const { secret } = await enrol('dora');
    clock.move(60 * minute);
    const half = await firstHalf('dora');
    for (let nth = 0; nth < 5; nth++) assertUnauthenticated(await secondHalf(half, wrong(secret)));
    clock.move(-60 * minute);
    signedIn(await secondHalf(await firstHalf('dora'), codeOf(secret)));
  });

  it('asks for the password before anything else, and its half is of no other use', async () => {
    const { secret, user } = await enrol('eve');
    assertUnauthenticated(await people.tryLogin('eve', 'not the password'));
    const half = await firstHalf('eve');
    assertUnauthenticated(await people.me(half));
    assertUnauthenticated(await people.refresh(half));
    for (const token of ['', 'x', user.refreshToken, user.accessToken.slice(0, 190)]) {
      const reply = await secondHalf(token, codeOf(secret));
      assert.ok([400, 401].includes(reply.status), reply.text);
    }
    // Whoever changed the password meanwhile has ended the sign-in that was under way.
    resultOf(await people.manage('PATCH', `/users/${user.user._id}`, { password: 'another password' }));
    assertUnauthenticated(await secondHalf(half, codeOf(secret)));
    const other = resultOf(await people.tryLogin('eve', 'another password'));
    clock.move(minute);
    resultOf(await people.manage('PATCH', `/users/${user.user._id}`, { disabled: true }));
    assertUnauthenticated(await secondHalf(String(other.factorToken), codeOf(secret)));
  });

  it('is turned off with the password and a code, or by management', async () => {
    const { secret, user, recoveryCodes } = await enrol('fay');
    const token = { token: user.accessToken };
    const end = (body: { currentPassword?: string; code: string }) =>
      people.auth('DELETE', 'totp', body, token);
    assertRefused(await end({ code: codeOf(secret) }), 400, 'currentPassword');
    assertRefused(await end({ currentPassword: 'wrong one', code: codeOf(secret) }), 400, 'currentPassword');
    assertRefused(await end({ currentPassword: password, code: wrong(secret) }), 400, 'code');
    await firstHalf('fay');
    resultOf(await end({ currentPassword: password, code: recoveryCodes[3] ?? '' }));
    await people.login('fay');
    const { user: gus } = await enrol('gus');
    const path = `/users/${gus.user._id}/totp`;
    const reader = (await people.key({ access: 'read' })).key;
    assertRefused(await people.manage('DELETE', path, undefined, reader), 403);
    resultOf(await people.manage('DELETE', path, undefined, (await people.key()).key));
    await people.login('gus');
    assertRefused(await people.manage('DELETE', path), 404);
  });
});

describe('a project that requires a second factor', () => {
  it('lets nobody do anything but set one up', async () => {
    const body = { id: 'strict', auth: { totp: 'required' } };
    const { app } = place;
    resultOf(await app.call('POST', '/v1/_admin/projects', { ...asAdmin, body }), 201);
    const notes = { id: 'notes', fields: { text: { type: 'text' } }, api: { access: 'public' } };
    const collections = '/v1/_admin/projects/strict/collections';
    resultOf(await app.call('POST', collections, { ...asAdmin, body: notes }), 201);
    const before = people;
    people = new (people.constructor as typeof People)(app, 'strict');
    try {
      const ann = await people.register('ann');
      const token = { token: ann.accessToken };
      for (const [verb, path] of [
        ['GET', 'notes'],
        ['POST', 'notes'],
        ['GET', '_auth/workspaces'],
        ['POST', '_auth/switch'],
        ['PATCH', '_auth/me'],
      ] as const) {
        const sent = verb === 'GET' ? undefined : {};
        assertRefused(await people.records(verb, path, sent, token), 403, 'second factor');
      }
      resultOf(await people.me(ann.accessToken));
      const { secret } = resultOf(await people.auth('POST', 'totp', undefined, token));
      const elsewhere = await people.login('ann'); // by somebody who knows the password alone
      // With the very write that confirms it: a crash after that leaves nobody signed in by the password alone.
      interruptions.after('confirmFactor', async () =>
        assertUnauthenticated(await people.refresh(elsewhere.refreshToken)),
      );
      resultOf(await people.auth('POST', 'totp/confirm', { code: codeOf(String(secret)) }, token));
      const fresh = signedIn(await people.refresh(ann.refreshToken));
      resultOf(await people.records('POST', 'notes', {}, { token: fresh.accessToken }), 201);
      clock.move(minute);
      const again = signedIn(await secondHalf(await firstHalf('ann'), codeOf(String(secret))));
      clock.move(minute);
      const proof = { currentPassword: password, code: codeOf(String(secret)) };
      resultOf(await people.auth('DELETE', 'totp', proof, { token: again.accessToken }));
      assertUnauthenticated(await people.me(again.accessToken)); // every sign-in has ended
      const { accessToken } = await people.login('ann');
      assertRefused(await people.records('GET', 'notes', undefined, { token: accessToken }), 403);
    } finally {
      people = before;
    }
  });
});

describe("an administrator's second factor", () => {
  const email = 'root@example.com';
  const admin = (verb: string, path: string, body?: object, token?: string) =>
    place.app.call(verb, `/v1/_admin/${path}`, { body: body as never, token });

  it('works as that of users', async () => {
    await makeAdministrator(place.storage, email, password);
    const login = () => admin('POST', 'login', { email, password });
    const token = String(resultOf(await login()).accessToken);
    const { secret, uri } = resultOf(await admin('POST', 'totp', undefined, token));
    assert.match(String(uri), /^otpauth:\/\/totp\/Vitrine:root%40example\.com\?/);
    const code = codeOf(String(secret));
    const { recoveryCodes } = resultOf(await admin('POST', 'totp/confirm', { code }, token));
    const half = String(resultOf(await login()).factorToken);
    const second = (sent: string) => admin('POST', 'login/totp', { factorToken: half, code: sent });
    assertUnauthenticated(await admin('GET', 'me', undefined, half));
    assertUnauthenticated(await second(code));
    clock.move(minute);
    const { accessToken, administrator } = resultOf(await second(codeOf(String(secret))));
    assert.deepEqual(administrator, { email });
    resultOf(await admin('GET', 'me', undefined, String(accessToken)));
    // The same address in a project is another account.
    resultOf(await people.auth('POST', 'register', { email, password }), 201);
    resultOf(await people.auth('POST', 'login', { email, password }));
    assertRefused(await admin('POST', 'totp', undefined, asAdmin.token), 403);
    const proof = { currentPassword: password, code: (recoveryCodes as string[])[0] };
    const mistaken = { currentPassword: password, code: wrong(String(secret)) };
    assertRefused(await admin('DELETE', 'totp', mistaken, String(accessToken)), 400, 'code');
    resultOf(await admin('DELETE', 'totp', proof, String(accessToken)));
    assert.ok(resultOf(await login()).accessToken);
  });

  it('makes no sign-in of a right password, in the audit too', async () => {
    const login = () => admin('POST', 'login', { email, password });
    const token = String(resultOf(await login()).accessToken);
    const { secret } = resultOf(await admin('POST', 'totp', undefined, token));
    resultOf(await admin('POST', 'totp/confirm', { code: codeOf(String(secret)) }, token));
    clock.move(minute);
    const { factorToken } = resultOf(await login());
    assertUnauthenticated(await admin('POST', 'login/totp', { factorToken, code: wrong(String(secret)) }));
    resultOf(await admin('POST', 'login/totp', { factorToken, code: codeOf(String(secret)) }));
    const { found } = resultOf(await admin('GET', 'audit?perPage=3', undefined, asAdmin.token));
    assert.deepEqual(
      (found as Record<string, unknown>[]).map(({ actor, action, outcome }) => [actor, action, outcome]),
      [
        [email, 'administrator.login', 'done'],
        [email, 'administrator.login', 'refused'],
        [email, 'administrator.login.begin', 'done'],
      ],
    );
    await makeAdministrator(place.storage, email, password);
  });

  it('is taken away with a new password from the command line', async () => {
    const login = () => admin('POST', 'login', { email, password });
    const token = String(resultOf(await login()).accessToken);
    const { secret } = resultOf(await admin('POST', 'totp', undefined, token));
    resultOf(await admin('POST', 'totp/confirm', { code: codeOf(String(secret)) }, token));
    assert.ok(resultOf(await login()).factorToken);
    await makeAdministrator(place.storage, email, password);
    assert.ok(resultOf(await login()).accessToken);
  });
});
