import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { Clock, makePeople, password } from '../auth/people.ts';
import { startApp } from '../harness.ts';
import { sqliteStorage } from '../storage.ts';
import { assertRefused, resultOf } from '../support.ts';
import { Post } from './post.ts';

it('a call for a mail that is one too many writes nothing at all', async () => {
  const storage = await sqliteStorage();
  const app = await startApp({ storage, now: new Clock().now, mail: new Post() });
  const people = await makePeople(app);
  const ann = await people.register('ann');
  const { accessToken: token } = ann;
  const workspace = await people.workspace(ann, 'North');
  const { sqlite } = await loadRuntime();
  const files = ['instance.db', join('projects', 'shop.db')].map((name) =>
    sqlite.open(join(storage.flags[1] ?? '', name)),
  );
  /** Another one after every commit of somebody else. */
  const versions = () => files.map((file) => file.prepare('PRAGMA data_version').rows([])[0]?.[0]);
  const countLimits = () => files[1]?.prepare('SELECT count(*) FROM mail_limits').rows([])[0]?.[0];
  const forgot = (nth: number) => people.auth('POST', 'forgot', { email: `n${nth}@example.com` });
  const move = (nth: number, peer: string) =>
    people.auth(
      'POST',
      'email',
      { email: `n${nth}@example.com`, currentPassword: password },
      { token, peer },
    );
  const invite = (nth: number, peer: string) =>
    people.auth(
      'POST',
      `workspaces/${workspace}/invitations`,
      { email: `n${nth}@example.com` },
      { token, peer },
    );
  try {
    for (let nth = 0; nth < 30; nth++) resultOf(await forgot(nth));
    for (let nth = 0; nth < 5; nth++) resultOf(await move(nth, '10.0.0.1'));
    for (let nth = 0; nth < 20; nth++) resultOf(await invite(nth, '10.0.0.2'), 201);
    const [before, limits] = [versions(), countLimits()];
    assertRefused(await forgot(99), 429, 'Too many mails');
    assertRefused(await move(98, '10.0.0.1'), 429, 'Too many mails');
    assert.deepEqual(versions(), before);
    // An invitation is announced before anybody looks: only nothing of what was typed is kept.
    assertRefused(await invite(97, '10.0.0.2'), 429, 'Too many mails');
    assert.equal(countLimits(), limits);
  } finally {
    for (const file of files) file.close();
    await app.close();
    await storage.remove();
  }
});
