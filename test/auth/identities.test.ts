import assert from 'node:assert/strict';
import { it } from 'node:test';
import { digest } from '../../src/access/secret.ts';
import type { Accounts } from '../../src/store/accounts.ts';
import { defaultAuth } from '../../src/store/project-record.ts';
import { startStorage } from '../storage.ts';

async function withAccounts(work: (accounts: Accounts) => Promise<void>): Promise<void> {
  const storage = await startStorage();
  const engine = storage.open();
  try {
    await engine.createProject({ id: 'p', name: 'P', auth: defaultAuth, created: 1, updated: 1 });
    const store = await engine.openProject('p');
    await work(store.accounts);
    await store.close();
  } finally {
    await engine.close();
    await storage.remove();
  }
}

const known = { issuer: 'https://idp.test', subject: 's' };

/** Somebody without a password, who came by the one identity that there is. */
function add(accounts: Accounts, name: string): Promise<boolean> {
  const email = `${name}@example.com`;
  const user = { id: name, email, name, verified: false, profile: {}, created: 1, updated: 1 };
  const identity = { id: `i-${name}`, user: name, provider: 'idp', email, created: 1 };
  return accounts.addIdentity({ ...identity, ...known }, { user });
}

it('of two accounts that are made for one identity at the same moment, only one is there', () =>
  withAccounts(async (accounts) => {
    const made = await Promise.all([add(accounts, 'ann'), add(accounts, 'ben')]);
    assert.deepEqual(made.sort(), [false, true]);
    const found = await accounts.listProfiles('', 10);
    assert.equal(found.length, 1);
  }));

it('a sign-in by an identity does not outlive it where all ways in were ended meanwhile', () =>
  withAccounts(async (accounts) => {
    await add(accounts, 'ann');
    const open = (id: string, passwordHash = '', by: object = { identity: known }) => {
      const seen = { used: 1, address: '', agent: '' };
      const session = { id, user: 'ann', workspace: null, tokenDigest: id, expires: 100, seen };
      return accounts.openSession({ ...session, proof: { passwordHash, ...by } }, 1);
    };
    assert.equal(await open('first'), true);
    assert.equal(await open('by-nothing', '', {}), false);
    const token = { digest: 'd', purpose: 'verify', user: 'ann', address: 'ann@example.com' } as const;
    await accounts.addMailToken({ ...token, target: null, password: digest(''), expires: 100 }, 1);
    assert.equal(await accounts.rejectAddress('d', 2), true);
    assert.equal(await open('second'), false);
    assert.equal(await accounts.findSession('second', null), undefined);
    // Neither by another identity that is there now, nor by the password that was set with its end.
    const other = { id: 'i-other', user: 'ann', provider: 'idp', email: '', created: 1 };
    await accounts.addIdentity({ ...other, ...known, subject: 'other' }, { verified: false });
    assert.equal(await open('third'), false);
    await accounts.updateUser('ann', { passwordHash: 'of the owner' }, 3);
    assert.equal(await open('fourth', 'of the owner'), false);
    assert.equal(await open('fifth', 'of the owner', {}), true);
  }));

it('a link for a new password that was handed over leaves no identity of an account that is not verified', () =>
  withAccounts(async (accounts) => {
    await add(accounts, 'ann');
    const reset = async (hash: string) => {
      const token = { digest: 'd', purpose: 'handed', user: 'ann', address: 'ann@example.com' } as const;
      await accounts.addMailToken({ ...token, target: null, password: digest(hash), expires: 100 }, 1);
      assert.equal(await accounts.resetPassword('d', 'new', 2), true);
    };
    await reset('');
    assert.equal(await accounts.findIdentity(known.issuer, known.subject), undefined);
    await accounts.updateUser('ann', { verified: true }, 3);
    const own = { id: 'i-own', user: 'ann', provider: 'idp', email: '', created: 1, ...known };
    await accounts.addIdentity(own, { verified: false });
    await reset('new');
    assert.equal(await accounts.findIdentity(known.issuer, known.subject), 'ann');
  }));
