import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { copyProject } from '../../src/commands/copy/copy-project.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { Accounts } from '../../src/store/accounts.ts';
import type { Engine } from '../../src/store/engine.ts';
import { localWriters } from '../../src/store/engines/sqlite/writes/local-writers.ts';
import type { Webhooks } from '../../src/store/webhooks.ts';
import { makePeople, type People, password, startPlace } from '../auth/people.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { Post } from '../mail/post.ts';
import { sqliteStorage, startStorage, testEngine } from '../storage.ts';
import { asAdmin, type Listed, resultOf } from '../support.ts';
import { startWorld } from '../webhooks/world.ts';

/** A process that ends as soon as it has written something, and what others do just before that. */
class Death {
  readonly #written = Promise.withResolvers<void>();
  before: () => Promise<unknown> = async () => {};
  /** Of this call. */
  of: 'queueMails' | 'deleteUser' | 'create' | undefined;

  /** It has written that. */
  get written(): Promise<void> {
    return this.#written.promise;
  }

  readonly wrap = (engine: Engine): Engine => ({
    ...engine,
    openProject: async (id) => {
      const store = await engine.openProject(id);
      return { ...store, accounts: this.#accounts(store.accounts), webhooks: this.#webhooks(store.webhooks) };
    },
  });

  #accounts(accounts: Accounts): Accounts {
    return {
      ...accounts,
      as: (authority) => this.#accounts(accounts.as(authority)),
      queueMails: (...args) => this.#after('queueMails', () => accounts.queueMails(...args)),
      deleteUser: (...args) => this.#after('deleteUser', () => accounts.deleteUser(...args)),
    };
  }

  #webhooks(webhooks: Webhooks): Webhooks {
    return {
      ...webhooks,
      as: (authority) => this.#webhooks(webhooks.as(authority)),
      create: (...args) => this.#after('create', () => webhooks.create(...args)),
    };
  }

  async #after<T>(call: Death['of'], write: () => Promise<T>): Promise<T> {
    if (this.of !== call) return write();
    this.of = undefined;
    await this.before();
    await write();
    this.#written.resolve();
    return new Promise(() => {});
  }
}

/** The job runs every second, for so many seconds. */
const workFor = async (app: TestApp, clock: { at: number }, seconds: number) => {
  for (let second = 0; second < seconds; second++) {
    clock.at += 1_000;
    await app.work();
  }
};

const tidy = { id: 'tidy', auth: { onUserDelete: 'delete' } };

/** A project in which deleted users take their records along, with a user who has one. */
async function makeTidy(
  app: TestApp,
): Promise<{ readonly people: People; readonly token: string; user: string }> {
  const people = await makePeople(app, tidy.id);
  resultOf(await people.manage('PATCH', '', { auth: tidy.auth } as never));
  const { accessToken: token, user } = await people.register('ann');
  resultOf(await people.records('POST', 'user', { text: 'mine' }, { token }), 201);
  return { people, token, user: user._id };
}

const recordsIn = async (app: TestApp, project: string) =>
  (resultOf(await app.call('GET', `/v1/${project}/user`, asAdmin)) as unknown as Listed).total;

/** How long the job finds nothing before it is written. */
for (const seconds of [1, 3, 30, 58]) {
  describe(`work that a process wrote as its last act, ${seconds} s after it began to`, () => {
    it('a mail is sent', async () => {
      const [clock, death, post] = [{ at: 0 }, new Death(), new Post()];
      const app = await startApp({ mail: post, wrap: death.wrap, clock: () => clock.at });
      try {
        const people = await makePeople(app);
        await people.register('ann');
        await workFor(app, clock, 200);
        death.of = 'queueMails';
        death.before = () => workFor(app, clock, seconds);
        void people.auth('POST', 'forgot', { email: people.email('ann') });
        await death.written;
        assert.equal(post.sent.length, 0);
        await workFor(app, clock, 100);
        assert.equal(post.sent.length, 1);
      } finally {
        await app.close();
      }
    });

    it("a deleted user's records go", async () => {
      const [clock, death] = [{ at: 0 }, new Death()];
      const app = await startApp({ wrap: death.wrap, clock: () => clock.at });
      try {
        const { people, token } = await makeTidy(app);
        death.of = 'deleteUser';
        death.before = () => workFor(app, clock, seconds);
        void people.auth('POST', 'me/delete', { currentPassword: password }, { token });
        await death.written;
        assert.equal(await recordsIn(app, 'tidy'), 1);
        await workFor(app, clock, 100);
        assert.equal(await recordsIn(app, 'tidy'), 0);
      } finally {
        await app.close();
      }
    });
  });
}

describe('work that a process wrote as its last act', () => {
  it('a webhook is served', async () => {
    const [clock, death] = [{ at: 0 }, new Death()];
    const world = await startWorld({ wrap: death.wrap, clock: () => clock.at });
    try {
      death.of = 'create';
      death.before = () => world.sendsFor(1_000);
      void world.hook();
      await death.written;
      await world.create('products', { title: 'a' });
      await world.sends(() => world.receiver.received.length > 0);
    } finally {
      await world.close();
    }
  });

  it('a restored project has the records deleted that were to be', async () => {
    const ends = async () => {
      throw new Error('the process ended');
    };
    const place = await startPlace({
      wrap: (engine) => ({ ...engine, loadProject: (...args) => engine.loadProject(...args).then(ends) }),
    });
    const { app } = place;
    try {
      const { user } = await makeTidy(app);
      await depart(place.storage.open(), user);
      const backups = '/v1/_admin/projects/tidy/backups';
      const { _id } = resultOf(await app.call('POST', backups, asAdmin), 201);
      const order = { body: { as: 'again' }, token: adminKey };
      assert.equal((await app.call('POST', `/v1/_admin/backups/${_id}/restore`, order)).status, 500);
      assert.equal(await recordsIn(app, 'again'), 1);
      await app.work();
      assert.equal(await recordsIn(app, 'again'), 0);
    } finally {
      await place.close();
    }
  });

  it('so has a copy', async () => {
    const { sqlite } = await loadRuntime();
    const storage = await (testEngine === 'sqlite'
      ? sqliteStorage(() => localWriters(sqlite))
      : startStorage());
    const app = await startApp({ storage });
    const engine = storage.open();
    const ends = async () => {
      throw new Error('the process ended');
    };
    try {
      const { user } = await makeTidy(app);
      await depart(storage.open(), user);
      const to: Engine = {
        ...engine,
        restoreProject: (...args) => engine.restoreProject(...args).then(ends),
      };
      const order = { from: engine, to, project: 'tidy', as: 'again', copied() {}, checked() {} };
      await assert.rejects(copyProject(order), /the process ended/);
      assert.equal(await recordsIn(app, 'again'), 1);
      await app.work();
      assert.equal(await recordsIn(app, 'again'), 0);
    } finally {
      await engine.close();
      await app.close();
      await storage.remove();
    }
  });
});

/** A user is deleted, and nobody is told of the records. */
async function depart(engine: Engine, user: string): Promise<void> {
  const store = await engine.openProject('tidy');
  const how = { records: 'delete', lastOwner: 'replace', now: Date.now() } as const;
  assert.equal(await store.accounts.deleteUser(user, how), true);
  await store.close();
  await engine.close();
}
