import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Catalog } from '../catalog/catalog.ts';
import { Feed } from './feed.ts';

it('a subscriber that takes nothing more knows what it was given, and not what others of its kind were', async () => {
  let newest = 1;
  const at = (pos: number) => ({ pos, mark: pos });
  const entry = (collection: number) => {
    return { ...at(2), kind: 'record', collection, owners: [], workspaces: [] };
  };
  const log = {
    watch: () => () => {},
    entries: async () => {
      const entries = newest > 1 ? [entry(1), entry(2)] : [];
      return { version: 1, entries, next: at(newest), upToDate: true, pending: false };
    },
    read: async ({ collections }: { collections: { ref: { key: number } }[] }) => {
      const collection = collections[0]?.ref.key ?? 0;
      if (collection === 2) await pause(200); // others have to be read for
      const change = { ...at(2), kind: 'update', collection, id: 'x', at: 1, json: '{}' };
      return {
        changes: newest > 1 ? [change] : [],
        ...{ next: at(newest), upToDate: true, pending: false, revoked: [] },
      };
    },
  };
  const cipher = { close: (text: string) => text };
  const project = { schema: { version: 1 }, store: { log }, cipher };
  const catalog = { use: async (_id: string, work: (project: object) => unknown) => work(project) };
  const feed = new Feed(catalog as unknown as Catalog, 'p', Date.now);
  const subscribe = (key: number, takes: boolean) => {
    const subscriber = { position: at(1), deliver: () => takes, release() {}, end() {} };
    const following = {
      version: 1,
      collections: [{ ref: { key }, scope: { kind: 'all' }, extra: [] }],
      ...{ names: undefined, fields: undefined, shown: new Map([[key, 'c']]), key: `k${key}` },
      includes: () => true,
    };
    assert.equal(feed.join(subscriber as never, following as never), true);
    return subscriber;
  };
  const full = subscribe(1, false);
  const other = subscribe(2, true);
  await pause(300);
  newest = 2;
  feed.wake();
  for (let seen = 0; seen < 50; seen++) {
    assert.equal(feed.positionOf(full as never).pos, 1);
    await pause(10);
  }
  assert.equal(feed.positionOf(other as never).pos, 2);
  feed.leave(full as never);
  feed.leave(other as never);
});
