import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Passwords } from '../../src/access/password.ts';
import { SignInLimit } from '../../src/access/sign-in-limit.ts';
import { setup } from '../../src/admin/administrators.ts';
import { startApp, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, type Listed, resultOf } from '../support.ts';

const email = 'root@example.com';
const password = 'a good password';
const now = Date.UTC(2026, 0, 1);
let app: TestApp;

before(async () => {
  app = await startApp({ now: () => now });
});
after(() => app.close());

const ask = (token: string, peer: string, who = email) =>
  app.call('POST', '/v1/_admin/setup', { body: { token, email: who, password }, peer });

describe('a set-up link that is not good', () => {
  it('has no password hashed', async () => {
    const refused = setup(app.catalog().administrators, {
      ...{ body: { token: 'made up', email, password }, address: '10.0.0.1', now },
      limit: new SignInLimit(),
      passwords: { hash: () => assert.fail('it is hashed') } as unknown as Passwords,
      found() {},
      async begin() {},
    });
    await assert.rejects(refused, /The set-up link was used/);
  });

  it('is in the audit, and is tried ten times a minute from an address', async () => {
    for (let nth = 0; nth < 10; nth++) {
      assertRefused(await ask('made up', '10.0.0.2', `n${nth}@example.com`), 403, 'set-up link');
    }
    assertRefused(await ask('made up', '10.0.0.2'), 429, 'try again in 60 seconds');
    const entries = resultOf(
      await app.call('GET', '/v1/_admin/audit?action=administrator.setup', asAdmin),
    ) as unknown as Listed;
    assert.equal(entries.total, 10);
    assert.ok(entries.found.every(({ outcome }) => outcome === 'refused'));
    const link = resultOf(
      await app.call('POST', '/v1/_admin/administrators', { ...asAdmin, body: { email } }),
      201,
    ).link;
    const token = String(link).split('#')[1] ?? '';
    resultOf(await ask(token, '10.0.0.2'), 201); // a good one is not kept out by others' wrong ones
  });
});
