import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { openPostgresEngine } from '../../src/store/engines/postgres/engine.ts';
import { openSqliteEngine } from '../../src/store/engines/sqlite/engine.ts';
import { notes, People, password, type SignedIn } from '../auth/people.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { freshDatabase } from '../postgres-server.ts';
import type { Dice } from '../reference/dice.ts';
import { makeSchema, Questions } from '../reference/generate.ts';
import { Project, write } from '../reference/project.ts';
import type { Storage } from '../storage.ts';
import { asAdmin, resultOf } from '../support.ts';
import { type Ended, makePlace } from './support.ts';

/** Directories and databases to copy between. */
export interface CopyWorld {
  directory(name: string): string;
  database(): Promise<string>;
  storage(address: string): Promise<Storage>;
  copy(project: string, from: string, to: string, ...more: string[]): Promise<Ended>;
  run(...words: string[]): Promise<Ended>;
  write(name: string, content: string | Json): Promise<string>;
  remove(): Promise<void>;
}

export async function makeCopyWorld(): Promise<CopyWorld> {
  const place = await makePlace();
  const { sqlite } = await loadRuntime();
  const drops: (() => Promise<void>)[] = [];
  return {
    directory: (name) => join(place.directory, name),
    async database() {
      const { url, drop } = await freshDatabase();
      drops.push(drop);
      return url;
    },
    storage: async (address) => ({
      open: () =>
        address.startsWith('postgres')
          ? openPostgresEngine({ url: address, log: { info() {} }, pool: 4 })
          : openSqliteEngine(sqlite, address),
      async remove() {},
    }),
    copy: (project, from, to, ...more) => place.run(['copy', project, '--from', from, '--to', to, ...more]),
    run: (...words) => place.run(words),
    write: (name, content) => place.write(name, content),
    async remove() {
      for (const drop of drops) await drop();
      await place.remove();
    },
  };
}

/** The whole product over what is at an address, for as long as the work takes. */
export async function withApp<T>(
  world: CopyWorld,
  address: string,
  work: (app: TestApp) => Promise<T>,
): Promise<T> {
  const app = await startApp({ storage: await world.storage(address) });
  try {
    const result = await work(app);
    assert.deepEqual(app.errors, []);
    return result;
  } finally {
    await app.close();
  }
}

/** What a rich project has that can be asked for later. */
export interface Rich {
  readonly id: string;
  /** Requests that only read. */
  readonly asked: readonly Asked[];
  readonly ann: SignedIn;
  readonly key: string;
  readonly workspace: string;
  /** Of a walk through collection `a` that goes on. */
  readonly cursor: string;
}

export interface Asked {
  readonly path: string;
  readonly token?: string;
}

/** Random collections and records with gaps between them, and people with all that is theirs. */
export async function makeRich(app: TestApp, dice: Dice): Promise<Rich> {
  const id = 'rich';
  const { definitions, tables } = makeSchema(dice);
  await app.project(id, ...definitions);
  const project = new Project(id, tables, app, dice);
  for (const round of [0, 1, 2, 3]) {
    for (const collection of tables.keys()) await write(dice, project, collection, round);
  }
  for (let missing = 9 - project.table('a').rows.length; missing > 0; missing--) await project.create('a');
  const auth = { registration: 'closed', accessTokenMinutes: 60, refreshTokenDays: 7 };
  const people = await makeAccounts(app, id);
  resultOf(
    await app.call('PATCH', `/v1/_admin/projects/${id}`, { ...asAdmin, body: { name: 'Rich', auth } }),
  );
  const first = resultOf(await app.call('GET', `/v1/${id}/a?sort=-_updatedAt&perPage=3&after=`));
  const questions = new Questions(dice, tables, project.values);
  const collections = [...tables.keys()];
  return {
    id,
    ...people,
    cursor: String(first.next),
    asked: [
      ...dice.times(60, () => {
        const collection = dice.pick(collections);
        return { path: `${collection}?${questions.viewAll(collection)}` };
      }),
      ...dice.times(15, () => {
        const collection = dice.pick(collections);
        return { path: `${collection}/distinct?${questions.distinct(collection)}` };
      }),
      ...collections.flatMap((collection) => [
        {
          path: `${collection}?perPage=1000&fields=_id,_owner,_workspace,_createdAt,_updatedAt`,
          token: adminKey,
        },
        ...[1, 2, 3].map((page) => ({ path: `${collection}?perPage=5&page=${page}&sort=-_createdAt` })),
        ...['ndjson', 'csv'].map((format) => ({ path: `${collection}/export?format=${format}` })),
      ]),
      ...people.asked,
    ],
  };
}

async function makeAccounts(app: TestApp, project: string) {
  const people = new People(app, project);
  for (const level of ['user', 'workspace']) {
    const body = { ...notes(`notes-${level}`, level), indexes: [{ fields: ['text'] }] } as JsonObject;
    resultOf(await people.manage('POST', '/collections', body), 201);
  }
  const names = ['ann', 'bob', 'carl'];
  const [ann, bob, carl] = (await inOrder(names, (name) => people.register(name))) as [
    SignedIn,
    SignedIn,
    SignedIn,
  ];
  const [first, second] = (await inOrder(['One', 'Two'], (name) => people.workspace(ann, name))) as [
    string,
    string,
  ];
  for (const [workspace, who, role] of [
    [second, bob, 'member'],
    [first, bob, 'owner'],
    [first, carl, 'member'],
  ] as const)
    await people.join(workspace, who, role);
  const member = await people.switch(bob, second);
  const { key } = await people.key();
  for (const [level, who] of [
    ['user', ann],
    ['user', bob],
    ['workspace', member],
    ['user', ann],
  ] as const) {
    const options = { token: who.accessToken };
    resultOf(await people.records('POST', `notes-${level}`, { text: `of ${who.user.name}` }, options), 201);
  }
  resultOf(await people.manage('PATCH', `/users/${carl.user._id}`, { disabled: true }));
  const managed = ['', '/users', '/workspaces', '/keys', '/collections', `/workspaces/${first}/members`];
  return {
    ann,
    key,
    workspace: first,
    asked: [
      ...managed.map((path) => ({ path: `/v1/_admin/projects/${project}${path}`, token: adminKey })),
      { path: 'notes-user', token: ann.accessToken },
      { path: 'notes-workspace?fields=text,_owner,_workspace', token: member.accessToken },
      { path: 'notes-user?fields=text,_owner', token: key },
      { path: '_auth/workspaces', token: bob.accessToken },
    ],
  };
}

async function inOrder<T>(names: readonly string[], make: (name: string) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (const name of names) made.push(await make(name));
  return made;
}

/** Each answer with its status and its bytes. */
export async function answersOf(app: TestApp, { id, asked }: Rich): Promise<string[]> {
  const answers: string[] = [];
  for (const { path, token } of asked) {
    const address = path.startsWith('/') ? path : `/v1/${id}/${path}`;
    const { status, text } = await app.call('GET', address, token === undefined ? {} : { token });
    // These very requests change when the key was last used.
    answers.push(`${address}\n${status} ${text.replace(/"lastUsedAt":"[^"]*"/, '"lastUsedAt":null')}`);
  }
  return answers;
}

export { password };
