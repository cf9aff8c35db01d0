import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { People } from '../auth/people.ts';
import { startApp, type TestApp } from '../harness.ts';
import { asAdmin, definition, pause, resultOf } from '../support.ts';

let app: TestApp;
let folder: string;
let shop = '';
let drawn = 0;

const admin = (verb: string, path: string, body?: object) =>
  app.call(verb, `/v1/_admin${path}`, { ...asAdmin, ...(body && { body: body as never }) });
const make = async (project = shop) =>
  String(resultOf(await admin('POST', `/projects/${project}/backups`), 201)._id);
const replace = async (backup: string, as = shop) =>
  resultOf(await admin('POST', `/backups/${backup}/restore`, { as, replace: true }), 201);
const remove = async (path: string, project = shop) =>
  resultOf(await admin('DELETE', `/projects/${project}/${path}`));

/** Names of users, of keys and of the members of workspaces; a `-` before those who are disabled. */
async function known(project = shop): Promise<string[]> {
  const list = async (path: string) =>
    resultOf(await admin('GET', `/projects/${project}/${path}?perPage=100`)).found as Record<
      string,
      unknown
    >[];
  const users = (await list('users')).map(({ name, disabled }) => `${disabled ? '-' : ''}${name}`);
  const keys = (await list('keys')).map(({ name }) => String(name));
  const members: string[] = [];
  for (const { _id, name } of await list('workspaces'))
    for (const { name: member } of await list(`workspaces/${_id}/members`)) members.push(`${name}:${member}`);
  return [...users, ...keys, ...members].toSorted();
}

async function addUser(name: string, project = shop): Promise<string> {
  await pause(3); // nothing here is made in the millisecond of a backup
  return String((await new People(app, project).register(name)).user._id);
}
async function addKey(name: string): Promise<string> {
  await pause(3);
  return String(resultOf(await admin('POST', `/projects/${shop}/keys`, { name }), 201)._id);
}
async function addTeam(name: string, ...users: string[]): Promise<string> {
  await pause(3);
  const team = resultOf(await admin('POST', `/projects/${shop}/workspaces`, { name }), 201);
  for (const user of users) await addMember(String(team._id), user);
  return String(team._id);
}
async function addMember(team: string, user: string): Promise<void> {
  const body = { user, role: 'owner' };
  resultOf(await admin('POST', `/projects/${shop}/workspaces/${team}/members`, body), 201);
}
/** The newest: what was there before the last replacement. */
const safety = async () => {
  const { found } = resultOf(await admin('GET', `/backups?project=${shop}`));
  return String((found as Record<string, unknown>[])[0]?._id);
};

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-twice-'));
  app = await startApp({ backupFolder: folder });
});
beforeEach(async () => {
  drawn += 1;
  shop = `shop${drawn}`;
  await app.project(shop, definition('items', { title: { type: 'text' } }));
});
after(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a project that was replaced', () => {
  it('has all that was there after it is replaced with the backup made before', async () => {
    const ann = await addUser('ann');
    const team = await addTeam('Team', ann);
    const first = await make();
    const ben = await addUser('ben');
    await addKey('key');
    await addTeam('Other', ann);
    await addMember(team, ben);
    const all = await known();
    await replace(first);
    assert.deepEqual(await known(), ['Team:ann', 'ann']);
    await replace(await safety());
    assert.deepEqual(await known(), all);
    await replace(first);
    await replace(first);
    assert.deepEqual(await known(), ['Team:ann', 'ann']);
  });

  it('keeps out who joined once more after the replacement and was removed again', async () => {
    const [ann, ben] = [await addUser('ann'), await addUser('ben')];
    const team = await addTeam('Team', ann);
    const first = await make();
    await addMember(team, ben);
    await replace(first);
    await addMember(team, ben);
    await remove(`workspaces/${team}/members/${ben}`);
    await replace(await safety());
    assert.deepEqual(await known(), ['Team:ann', 'ann', 'ben']);
  });

  it('has what a later backup has, and the same again after another turn', async () => {
    await addUser('ann');
    const first = await make();
    await addUser('ben');
    await addKey('key');
    const second = await make();
    for (let turn = 0; turn < 2; turn++) {
      await replace(first);
      assert.deepEqual(await known(), ['ann']);
      await replace(second);
      assert.deepEqual(await known(), ['ann', 'ben', 'key']);
    }
  });

  it('keeps what was removed or disabled at any time: before a replacement, after it, or between two', async () => {
    const [ann, key] = [await addUser('ann'), await addKey('old')];
    const first = await make();
    const [ben, cat, dan] = [await addUser('ben'), await addUser('cat'), await addUser('dan')];
    const late = await addKey('late');
    await addKey('stays');
    const second = await make();
    await remove(`users/${ben}`);
    await remove(`keys/${late}`);
    resultOf(await admin('PATCH', `/projects/${shop}/users/${dan}`, { disabled: true }));
    await replace(first);
    await remove(`keys/${key}`);
    await replace(second);
    assert.deepEqual(await known(), ['-dan', 'ann', 'cat', 'stays']);
    await remove(`users/${cat}`);
    await replace(first);
    assert.deepEqual(await known(), ['ann']);
    await remove(`users/${ann}`);
    await replace(second);
    assert.deepEqual(await known(), ['-dan', 'stays']);
    resultOf(await admin('PATCH', `/projects/${shop}/users/${dan}`, { disabled: false }));
    await replace(second);
    assert.deepEqual(await known(), ['dan', 'stays'].toSorted());
  });
});

describe('a project that was made of a backup', () => {
  const restore = async (backup: string, as: string) =>
    resultOf(await admin('POST', `/backups/${backup}/restore`, { as }), 201);

  it('takes what came later where the backup was made, and keeps what was removed in itself', async () => {
    const [ann] = [await addUser('ann'), await addUser('eve')];
    const first = await make();
    await addUser('ben');
    const second = await make();
    const other = `${shop}-other`;
    await restore(first, other);
    await addUser('cat');
    const third = await make();
    await remove(`users/${ann}`, other);
    await replace(second, other);
    assert.deepEqual(await known(other), ['ben', 'eve']);
    await replace(third, other);
    assert.deepEqual(await known(other), ['ben', 'cat', 'eve']);
  });

  it('takes who joined a team where the backup was made, also of those who were there before', async () => {
    const [ann, ben] = [await addUser('ann'), await addUser('ben')];
    const team = await addTeam('team', ann);
    const as = `${shop}-staging`;
    resultOf(await admin('POST', `/backups/${await make()}/restore`, { as }), 201);
    await pause(3);
    await addMember(team, ben);
    await replace(await make(), as);
    assert.deepEqual(await known(as), await known());
    assert.ok((await known(as)).includes('team:ben'));
  });

  it('has all of it where the project it replaces has nothing to do with it, and so has that when it is back', async () => {
    await addUser('ann');
    await addKey('key');
    const backup = await make();
    const all = await known();
    const stage = `${shop}-stage`;
    await app.project(stage, definition('items', { title: { type: 'text' } }));
    const zoe = await addUser('zoe', stage);
    await addUser('yan', stage);
    const own = await make(stage);
    await remove(`users/${zoe}`, stage);
    await replace(backup, stage);
    assert.deepEqual(await known(stage), all);
    await replace(own, stage);
    assert.deepEqual(await known(stage), ['yan']);
  });
});
