import assert from 'node:assert/strict';
import { it } from 'node:test';
import { defaultAuth } from '../../src/store/project-record.ts';
import { startStorage } from '../storage.ts';

it('of two accounts that are made for one identity at the same moment, only one is there', async () => {
  const storage = await startStorage();
  const engine = storage.open();
  try {
    await engine.createProject({ id: 'p', name: 'P', auth: defaultAuth, created: 1, updated: 1 });
    const store = await engine.openProject('p');
    const add = (name: string) => {
      const user = {
        id: name,
        email: `${name}@example.com`,
        name,
        verified: true,
        profile: {},
        created: 1,
        updated: 1,
      };
      const identity = { id: `i-${name}`, user: name, provider: 'idp', email: user.email, created: 1 };
      return store.accounts.addIdentity({ ...identity, issuer: 'https://idp.test', subject: 's' }, { user });
    };
    assert.deepEqual(await Promise.all([add('ann'), add('ben')]).then((made) => made.sort()), [false, true]);
    const found = await store.accounts.listProfiles('', 10);
    assert.equal(found.length, 1);
    await store.close();
  } finally {
    await engine.close();
    await storage.remove();
  }
});
