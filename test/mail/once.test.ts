import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Engine } from '../../src/store/engine.ts';
import { startApp } from '../harness.ts';
import { startStorage } from '../storage.ts';
import { asAdmin, makeProject, resultOf } from '../support.ts';
import { Post } from './post.ts';

it('a mail is sent once, where two nodes have found it to be due', async () => {
  const storage = await startStorage();
  const post = new Post();
  /** Both have listed what is due before either goes on. */
  let listed = 0;
  const both = Promise.withResolvers<void>();
  const wrap = (engine: Engine): Engine => ({
    ...engine,
    async openProject(id) {
      const store = await engine.openProject(id);
      const listDueMails: typeof store.accounts.listDueMails = async (...args) => {
        const due = await store.accounts.listDueMails(...args);
        listed += 1;
        if (listed === 2) both.resolve();
        await both.promise;
        return due;
      };
      return { ...store, accounts: { ...store.accounts, listDueMails } };
    },
  });
  const nodes = [
    await startApp({ storage, mail: post, wrap }),
    await startApp({ storage, mail: post, wrap }),
  ] as const;
  try {
    const [first] = nodes;
    const path = await makeProject(first);
    const email = 'ann@example.com';
    const users = path.replace('/v1/', '/v1/_admin/projects/');
    const body = { email, password: 'correct horse' };
    resultOf(await first.call('POST', `${users}/users`, { ...asAdmin, body }), 201);
    resultOf(await first.call('POST', `${path}/_auth/forgot`, { body: { email } }));
    await Promise.all(nodes.map((node) => node.work()));
    assert.equal(listed, 2);
    assert.equal(post.to(email).length, 1);
  } finally {
    for (const node of nodes) await node.close();
    await storage.remove();
  }
});
