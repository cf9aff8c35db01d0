import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { digest } from '../../src/access/secret.ts';
import { totpCode } from '../../src/access/totp.ts';
import { compose } from '../../src/mail/compose.ts';
import {
  assertUnauthenticated,
  Clock,
  makePeople,
  minute,
  type People,
  type Place,
  password,
  type SignedIn,
  second,
  signedIn,
  startPlace,
} from '../auth/people.ts';
import { publicUrl, type Reply, startApp, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, resultOf } from '../support.ts';
import { Post } from './post.ts';

const clock = new Clock();
const post = new Post();
const hour = 60 * minute;
const other = 'another horse battery';
let place: Place;
let app: TestApp;
let people: People;
let ann: SignedIn;

before(async () => {
  place = await startPlace({ now: clock.now, mail: post });
  app = place.app;
  people = await makePeople(app);
  await app.project('elsewhere');
  await people.register('ann');
});
after(() => place.close());
beforeEach(async () => {
  clock.move(2 * hour); // no limit of the test before holds
  ann = await people.login('ann');
});

const annMail = 'ann@example.com';
const reset = (token: string, to = password) => people.auth('POST', 'reset', { token, password: to });
const asAnn = (verb: string, path: string, body?: Parameters<People['auth']>[2]) =>
  people.auth(verb, path, body, { token: ann.accessToken });

async function forgot(email = annMail): Promise<string> {
  resultOf(await people.auth('POST', 'forgot', { email }));
  await app.work();
  return post.token(email);
}

function assertBadToken(reply: Reply): void {
  assertRefused(reply, 400, 'token: is not valid');
}

describe('a forgotten password', () => {
  it('gets the same answer for every address, and a mail only where somebody has it', async () => {
    post.sent.length = 0;
    const ben = await people.register('ben');
    resultOf(await people.manage('PATCH', `/users/${ben.user._id}`, { disabled: true }));
    const replies = [];
    for (const email of [annMail, ' ANN@Example.com ', 'ben@example.com', 'nobody@example.com']) {
      replies.push(await people.auth('POST', 'forgot', { email }));
    }
    assert.deepEqual(new Set(replies.map(({ text }) => text)), new Set(['{"ok":true,"result":{}}\n']));
    await app.work();
    assert.deepEqual(
      post.sent.map(({ to }) => to),
      [annMail, annMail],
      'neither a disabled account nor nobody gets one',
    );
    for (const body of [{}, { email: 5 }, { email: 'x' }, { email: annMail, more: 1 }]) {
      assertRefused(await people.auth('POST', 'forgot', body), 400);
    }
  });

  it('is set anew: once, every session ends, the address is verified', async () => {
    const token = await forgot();
    assertRefused(await reset(token, 'short'), 400, 'password');
    resultOf(await reset(token, other));
    assertUnauthenticated(await people.me(ann.accessToken));
    assertUnauthenticated(await people.refresh(ann.refreshToken));
    assertUnauthenticated(await people.tryLogin('ann'));
    ann = await people.login('ann', other);
    assert.equal((ann.user as unknown as { verified: boolean }).verified, true);
    assertBadToken(await reset(token));
    const again = await forgot();
    resultOf(await reset(again));
  });

  it('a token is for one hour, one project, one purpose, one address and one password', async () => {
    const late = await forgot();
    clock.move(hour);
    assertBadToken(await reset(late));

    const token = await forgot();
    const elsewhere = { token, password };
    assertBadToken(await app.call('POST', '/v1/elsewhere/_auth/reset', { body: elsewhere }));
    for (const path of ['verify', 'email/confirm'])
      assertBadToken(await people.auth('POST', path, { token }));
    for (const forged of [token.slice(1), `${token}x`, digest(token), 'x', '__proto__']) {
      assertBadToken(await reset(forged));
    }
    resultOf(await people.manage('PATCH', `/users/${ann.user._id}`, { email: 'ann2@example.com' }));
    assertBadToken(await reset(token));
    resultOf(await people.manage('PATCH', `/users/${ann.user._id}`, { email: annMail, verified: true }));
    assertBadToken(await reset(token)); // also where it is the same address again

    ann = await people.login('ann');
    const second = await forgot();
    resultOf(await asAnn('PATCH', 'me', { password: other, currentPassword: password }));
    assertBadToken(await reset(second));
    const third = await forgot();
    resultOf(await people.manage('PATCH', `/users/${ann.user._id}`, { disabled: true }));
    assertBadToken(await reset(third));
    resultOf(await people.manage('PATCH', `/users/${ann.user._id}`, { disabled: false, password }));
  });

  it('of an account that a stranger made with the address leaves the stranger no way in, and workspaces as they are', async () => {
    const stranger = await people.register('victim');
    const token = { token: stranger.accessToken };
    const { secret } = resultOf(await people.auth('POST', 'totp', undefined, token));
    const code = totpCode(String(secret), Math.floor(clock.now() / 30_000));
    resultOf(await people.auth('POST', 'totp/confirm', { code }, token));
    const workspace = await people.workspace(stranger, 'Of the stranger');
    const change = { email: 'evil@example.com', currentPassword: password };
    resultOf(await people.auth('POST', 'email', change, token));
    await app.work();
    const waiting = post.token('evil@example.com');
    resultOf(await reset(await forgot('victim@example.com'), other));
    const mine = await people.login('victim', other); // no second factor of the stranger's stands in the way
    assert.equal((mine.user as unknown as { verified: boolean }).verified, true);
    assert.equal(mine.user.workspace, workspace);
    assertBadToken(await people.auth('POST', 'email/confirm', { token: waiting }));
    assertUnauthenticated(await people.me(stranger.accessToken));
    const identities = await people.auth('GET', 'identities', undefined, { token: mine.accessToken });
    assert.equal(resultOf(identities).total, 0);
  });

  it('of a verified account leaves its second factor', async () => {
    const eli = await people.register('eli');
    resultOf(await people.manage('PATCH', `/users/${eli.user._id}`, { verified: true }));
    const token = { token: eli.accessToken };
    const { secret } = resultOf(await people.auth('POST', 'totp', undefined, token));
    const code = totpCode(String(secret), Math.floor(clock.now() / 30_000));
    resultOf(await people.auth('POST', 'totp/confirm', { code }, token));
    resultOf(await reset(await forgot('eli@example.com'), other));
    assert.ok('factorToken' in resultOf(await people.tryLogin('eli', other)));
  });

  it('two at once with one token, and with two: one of them wins', async () => {
    const tokens = [await forgot(), await forgot()];
    const [a = '', b = ''] = tokens;
    const replies = await Promise.all([reset(a, other), reset(a, other), reset(b, other)]);
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 400, 400]);
    resultOf(await reset(await forgot()));
  });

  it('nothing spends a token but the POST, and no token is kept as it is', async () => {
    const token = await forgot();
    for (const path of ['reset', `reset?token=${token}`, 'verify', 'email/confirm']) {
      assertRefused(await people.auth('GET', path), 405);
    }
    const page = await app.call('GET', '/_mail/reset/shop');
    assert.equal(page.status, 200);
    resultOf(await reset(token));
  });

  it('is limited by the address that was typed, whoever has it, and by where it comes from', async () => {
    for (const email of [annMail, 'nobody@example.com']) {
      for (let nth = 0; nth < 5; nth++) resultOf(await people.auth('POST', 'forgot', { email }));
      const reply = await people.auth('POST', 'forgot', { email: email.toUpperCase() });
      assertRefused(reply, 429, 'Too many mails');
      assert.equal(reply.headers.get('retry-after'), '3600');
    }
    // A made-up key in the body gets no bucket of its own: it is refused.
    assertRefused(await people.auth('POST', 'forgot', { email: annMail, Email: 'x@example.com' }), 400);
    for (let nth = 0; nth < 20; nth++) {
      resultOf(await people.auth('POST', 'forgot', { email: `n${nth}@example.com` }));
    }
    assertRefused(await people.auth('POST', 'forgot', { email: 'last@example.com' }), 429);
    resultOf(await people.auth('POST', 'forgot', { email: 'last@example.com' }, { peer: '10.9.9.9' }));
    clock.move(hour);
    resultOf(await people.auth('POST', 'forgot', { email: annMail }));
    const before = post.to(annMail).length;
    await app.work();
    assert.equal(post.to(annMail).length, before + 6);
  });

  it('is mailed as ever once a clock that was far ahead is right again', async () => {
    const [email, year] = ['yann@example.com', 365 * 24 * hour];
    await people.register('yann');
    clock.move(year);
    for (let nth = 0; nth < 5; nth++) resultOf(await people.auth('POST', 'forgot', { email }));
    clock.move(-year);
    await app.work();
    assert.equal(post.to(email).length, 5);
    await forgot(email);
    assert.equal(post.to(email).length, 6);
  });

  it('is mailed at once also where the node that was asked is two hours ahead of the one that sends', async () => {
    const email = 'early@example.com';
    await people.register('early');
    clock.move(2 * hour);
    resultOf(await people.auth('POST', 'forgot', { email }));
    clock.move(-2 * hour);
    await app.work();
    assert.equal(post.to(email).length, 1);
  });

  it('many at the same moment are no more than the limit', async () => {
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => people.auth('POST', 'forgot', { email: 'many@example.com' })),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 5);
  });

  it('links never come from the request', async () => {
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      origin: 'https://evil.example',
    };
    resultOf(await people.auth('POST', 'forgot', { email: annMail }, { headers }));
    await app.work();
    const { text, html } = post.last(annMail);
    assert.ok(!`${text}${html}`.includes('evil.example')); // four letters may be in the token
    assert.match(text, /https:\/\/data\.example\.com\/base\/_mail\/reset\/shop#token=/);
  });
});

describe('a verified address', () => {
  it('is proven by the token that was mailed to it, once', async () => {
    const cid = await people.register('cid');
    const send = () => people.auth('POST', 'verify/send', undefined, { token: cid.accessToken });
    assert.equal(resultOf(await people.me(cid.accessToken)).verified, false);
    assertUnauthenticated(await people.auth('POST', 'verify/send'));
    resultOf(await send());
    await app.work();
    const token = post.token('cid@example.com');
    assertBadToken(await reset(token));
    resultOf(await people.auth('POST', 'verify', { token }));
    assert.equal(resultOf(await people.me(cid.accessToken)).verified, true);
    assertBadToken(await people.auth('POST', 'verify', { token }));
    const count = post.sent.length;
    resultOf(await send());
    await app.work();
    assert.equal(post.sent.length, count, 'there is nothing to verify any more');
    resultOf(await people.manage('PATCH', `/users/${cid.user._id}`, { verified: false }));
    resultOf(await send());
    resultOf(await people.manage('PATCH', `/users/${cid.user._id}`, { email: 'cid2@example.com' }));
    await app.work();
    assert.equal(post.sent.length, count, 'the address is another one by now');
  });
});

describe('somebody whose address a stranger registered', () => {
  it('ends what the stranger can do with the account, and can have it', async () => {
    const gus = await people.register('gus'); // with an address that is not theirs
    const token = gus.accessToken;
    resultOf(await people.auth('POST', 'verify/send', undefined, { token }));
    await app.work();
    const mailed = post.token('gus@example.com');
    assertBadToken(await people.auth('POST', 'verify/reject', { token: 'x' }));
    resultOf(await people.auth('POST', 'verify/reject', { token: mailed }));
    assertUnauthenticated(await people.me(token));
    assertUnauthenticated(await people.refresh(gus.refreshToken));
    assertUnauthenticated(await people.tryLogin('gus'));
    for (const path of ['verify', 'verify/reject'])
      assertBadToken(await people.auth('POST', path, { token: mailed }));
    const { verified } = resultOf(await people.manage('GET', `/users/${gus.user._id}`));
    assert.equal(verified, false);
    resultOf(await people.auth('POST', 'forgot', { email: 'gus@example.com' }));
    await app.work();
    const chosen = 'a password of their own';
    resultOf(await people.auth('POST', 'reset', { token: post.token('gus@example.com'), password: chosen }));
    assert.equal((await people.login('gus', chosen)).user._id, gus.user._id);
  });

  it('can end nothing once the address is verified', async () => {
    const hal = await people.register('hal');
    const send = () => people.auth('POST', 'verify/send', undefined, { token: hal.accessToken });
    resultOf(await send());
    await app.work();
    const first = post.token('hal@example.com');
    resultOf(await send());
    await app.work();
    resultOf(await people.auth('POST', 'verify', { token: post.token('hal@example.com') }));
    assertBadToken(await people.auth('POST', 'verify/reject', { token: first }));
    resultOf(await people.me(hal.accessToken));
  });
});

describe('another address', () => {
  const wanted = 'anna@example.com';
  const change = (email: string, currentPassword = password) =>
    asAnn('POST', 'email', { email, currentPassword });

  it('is in force once it is confirmed, and the one before is told', async () => {
    assertRefused(await change(wanted, 'wrong password'), 400, 'currentPassword');
    assertRefused(await change(' ANN@example.com'), 400, 'email');
    resultOf(await change(wanted));
    await app.work();
    assert.match(post.last(annMail).text, /anna@example\.com/);
    const token = post.token(wanted);
    assert.equal(resultOf(await people.me(ann.accessToken)).email, annMail);
    assertBadToken(await reset(token));
    resultOf(await people.auth('POST', 'email/confirm', { token }));
    const me = resultOf(await people.me(ann.accessToken));
    assert.deepEqual([me.email, me.verified], [wanted, true]);
    assertBadToken(await people.auth('POST', 'email/confirm', { token }));
    await app.work();
    assert.match(post.last(annMail).subject, /has changed/);
    assertUnauthenticated(await people.tryLogin('ann'));
    resultOf(await people.manage('PATCH', `/users/${ann.user._id}`, { email: annMail, verified: true }));
  });

  it('that is taken gets the same answer and no mail; taken meanwhile it is a 409', async () => {
    const dan = await people.register('dan');
    const count = post.to('dan@example.com').length;
    assert.equal((await change('dan@example.com')).text, '{"ok":true,"result":{}}\n');
    await app.work();
    assert.equal(post.to('dan@example.com').length, count);
    resultOf(await change(wanted));
    await app.work();
    const token = post.token(wanted);
    resultOf(await people.manage('PATCH', `/users/${dan.user._id}`, { email: wanted }));
    assertRefused(await people.auth('POST', 'email/confirm', { token }), 409);
    assert.equal(resultOf(await people.me(ann.accessToken)).email, annMail);
    assertRefused(await people.manage('PATCH', `/users/${dan.user._id}`, { email: annMail }), 409, 'taken');
    resultOf(await people.manage('DELETE', `/users/${dan.user._id}`));
    resultOf(await people.auth('POST', 'email/confirm', { token }));
    resultOf(await people.manage('PATCH', `/users/${ann.user._id}`, { email: annMail, verified: true }));
  });

  it('is ended by a new password', async () => {
    resultOf(await change(wanted));
    await app.work();
    const token = post.token(wanted);
    resultOf(await reset(await forgot()));
    assertBadToken(await people.auth('POST', 'email/confirm', { token }));
  });

  it('is not even mailed where password or address were changed before its mail could be sent', async () => {
    const ways: readonly ((user: SignedIn, token: string) => Promise<Reply>)[] = [
      (_, token) => reset(token, other),
      ({ accessToken }) =>
        people.auth('PATCH', 'me', { password: other, currentPassword: password }, { token: accessToken }),
      ({ user }) => people.manage('PATCH', `/users/${user._id}`, { password: other }),
      ({ user }) => people.manage('PATCH', `/users/${user._id}`, { email: 'moved@example.com' }),
    ];
    for (const [nth, way] of ways.entries()) {
      const mia = await people.register(`mia${nth}`);
      const token = await forgot(`mia${nth}@example.com`);
      const evil = { email: `evil${nth}@example.com`, currentPassword: password };
      resultOf(await people.auth('POST', 'email', evil, { token: mia.accessToken }));
      resultOf(await way(mia, token));
      await app.work();
      assert.deepEqual(post.to(evil.email), []);
    }
  });

  it('is not mailed where the password is changed while the mail is being written', async () => {
    const token = await forgot();
    resultOf(await change('evil@example.com'));
    const catalog = app.catalog();
    await catalog.useAccounts('shop', async ({ store: { accounts } }) => {
      const mail = (await accounts.listDueMails(clock.now(), 50)).find(({ kind }) => kind === 'email');
      assert.ok(mail && (await accounts.tryMail(mail.id, mail.tries, clock.now() + hour)));
      resultOf(await reset(token));
      const project = await catalog.requireProject('shop');
      const options = { project, accounts, publicUrl: 'https://data.example.com', now: clock.now() };
      assert.equal(await compose(mail, options), undefined);
    });
  });
});

describe('sessions', () => {
  it('are listed with where they are, and end one by one or all others', async () => {
    const eve = await people.register('eve');
    const options = { headers: { 'user-agent': 'Phone/1' }, peer: '10.0.0.7' };
    clock.move(second);
    const began = clock.now();
    const phone = signedIn(await people.tryLogin('eve', password, options));
    const list = async (token: string) => {
      const reply = await people.auth('GET', 'sessions', undefined, { token });
      return resultOf(reply) as unknown as { total: number; found: Record<string, unknown>[] };
    };
    const { total, found } = await list(eve.accessToken);
    assert.equal(total, 2);
    assert.deepEqual(
      found.map(({ current }) => current),
      [true, false],
    );
    const { _id, ...shown } = found[1] ?? {};
    assert.deepEqual(shown, {
      _createdAt: new Date(began).toISOString(),
      lastUsedAt: new Date(began).toISOString(),
      address: '10.0.0.7',
      userAgent: 'Phone/1',
      current: false,
    });
    clock.move(minute);
    const fresh = signedIn(
      await people.auth('POST', 'refresh', { refreshToken: phone.refreshToken }, { peer: '10.0.0.8' }),
    );
    const later = (await list(eve.accessToken)).found[1];
    assert.deepEqual(
      [later?.address, later?.lastUsedAt, later?._createdAt],
      ['10.0.0.8', new Date(clock.now()).toISOString(), shown._createdAt],
    );

    const path = `sessions/${_id}`;
    assertRefused(await people.auth('DELETE', path, undefined, { token: ann.accessToken }), 404);
    assertUnauthenticated(await people.auth('DELETE', path));
    resultOf(await people.auth('DELETE', path, undefined, { token: eve.accessToken }));
    assertRefused(await people.auth('DELETE', path, undefined, { token: eve.accessToken }), 404);
    assertUnauthenticated(await people.me(fresh.accessToken));
    assertUnauthenticated(await people.refresh(fresh.refreshToken));

    const [one, two] = [await people.login('eve'), await people.login('eve')];
    resultOf(await people.auth('DELETE', 'sessions', undefined, { token: one.accessToken }));
    for (const over of [eve, two]) assertUnauthenticated(await people.me(over.accessToken));
    assert.equal((await list(one.accessToken)).total, 1);
    resultOf(await people.manage('DELETE', `/users/${eve.user._id}/sessions`));
    assertUnauthenticated(await people.me(one.accessToken));
    resultOf(await people.me(ann.accessToken));
  });

  it('that are ended are over on every node at the next request', async () => {
    const node = await startApp({ now: clock.now, storage: place.storage });
    try {
      const here = await people.login('ann');
      const read = () => node.call('GET', '/v1/shop/user', { token: here.accessToken });
      assert.equal((await read()).status, 200);
      resultOf(await asAnn('DELETE', 'sessions'));
      assert.equal((await read()).status, 401);
    } finally {
      await node.close();
    }
  });
});

describe('without mail', () => {
  it('what needs it is a 501 that says what to set, after the token was looked at', async () => {
    const silent = await startApp({ now: clock.now, storage: place.storage });
    try {
      const call = (path: string, token?: string) =>
        silent.call('POST', `/v1/shop/_auth/${path}`, { body: {}, token });
      assertRefused(await call('forgot'), 501, '--mail', '--mail-from', '--public-url');
      for (const path of ['verify/send', 'email']) {
        assertUnauthenticated(await call(path));
        assertRefused(await call(path, ann.accessToken), 501, '--mail');
      }
      assertBadToken(await silent.call('POST', '/v1/shop/_auth/verify', { body: { token: 'x' } }));
      const link = `/v1/_admin/projects/shop/users/${ann.user._id}/reset`;
      const made = resultOf(await silent.call('POST', link, asAdmin));
      const token = /^\/_mail\/reset\/shop#token=([\w-]{43})$/.exec(String(made.link))?.[1] ?? '';
      const body = { token, password };
      resultOf(await silent.call('POST', '/v1/shop/_auth/reset', { body }));
    } finally {
      await silent.close();
    }
  });

  it('a link for a new password that management hands over proves nothing about the address', async () => {
    const zoe = await people.register('zoe');
    const { secret } = resultOf(await people.auth('POST', 'totp', undefined, { token: zoe.accessToken }));
    const code = totpCode(String(secret), Math.floor(clock.now() / 30_000));
    resultOf(await people.auth('POST', 'totp/confirm', { code }, { token: zoe.accessToken }));
    const { link } = resultOf(await people.manage('POST', `/users/${zoe.user._id}/reset`));
    const token = String(link).split('#token=')[1] ?? '';
    resultOf(await reset(token, other));
    assertBadToken(await reset(token, other));
    assertUnauthenticated(await people.me(zoe.accessToken));
    assert.equal(resultOf(await people.manage('GET', `/users/${zoe.user._id}`)).verified, false);
    assert.ok(resultOf(await people.tryLogin('zoe', other)).factorToken, 'the second factor stays');
  });

  it('a link for a new password begins with the address of the server, where that is known', async () => {
    const silent = await startApp({ now: clock.now, storage: place.storage, publicUrl });
    try {
      const path = `/v1/_admin/projects/shop/users/${ann.user._id}/reset`;
      const { link } = resultOf(await silent.call('POST', path, asAdmin));
      assert.ok(String(link).startsWith(`${publicUrl}/_mail/reset/shop#token=`), String(link));
    } finally {
      await silent.close();
    }
  });
});
