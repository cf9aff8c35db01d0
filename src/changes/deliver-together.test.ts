import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Catalog } from '../catalog/catalog.ts';
import { alone, deliverTogether } from './deliver-together.ts';
import { Group } from './group.ts';
import type { IsGood } from './subscriber.ts';

const at = (pos: number) => ({ pos, mark: pos });
const following = {
  ...{ version: 1, names: undefined, fields: undefined, shown: new Map([[1, 'c']]), key: 'k' },
  collections: [{ ref: { key: 1 }, scope: { kind: 'all' }, extra: [] }],
  includes: () => true,
};
const read = async () => {
  const change = { ...at(2), kind: 'update', collection: 1, id: 'x', at: 1, json: '{}' };
  return { changes: [change], next: at(2), upToDate: true, pending: false, revoked: [] };
};
const project = {
  schema: { version: 1 },
  store: { log: { read } },
  cipher: { close: (text: string) => text },
};
const catalog = { use: async (_id: string, work: (project: object) => unknown) => work(project) };

it('who may follow is asked for all at once, and who is not known keeps nobody else from theirs', async () => {
  const group = new Group(following as never, at(1));
  const told: string[] = [];
  let asked = 0;
  const join = (name: string, isGood?: IsGood) => {
    const say = (what: string) => told.push(`${name} ${what}`);
    const member = {
      ...{ position: at(1), isGood, release: () => say('released'), end: () => say('ended') },
      deliver: () => say('delivered') > 0,
    };
    group.members.add(member as never);
    return member;
  };
  const answering = (good: boolean) => async () => {
    asked += 1;
    while (asked < 2) await new Promise((resolve) => setTimeout(resolve, 1)); // for the other one
    return good;
  };
  join('user');
  join('good', answering(true));
  join('bad', answering(false));
  const silent = join('silent', () => new Promise<never>(() => {}));
  const failing = join('failing', () => Promise.reject(new Error('the disk')));
  const services = { catalog: catalog as unknown as Catalog, project: 'p', now: Date.now };
  await deliverTogether(alone(group), services, at(2));
  const expected = ['bad ended', 'failing released', 'good delivered', 'silent released', 'user delivered'];
  assert.deepEqual(told.sort(), expected);
  for (const { position } of [silent, failing]) assert.equal(position.pos, 1);
});
