import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CursorCipher } from '../../src/access/cursor-cipher.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { Feeds } from '../../src/changes/project-feeds.ts';
import type { ChangesPage } from '../../src/changes/read-page.ts';
import { type Sink, Stream } from '../../src/changes/stream.ts';
import type { VisibleChange } from '../../src/changes/visible-change.ts';
import { Failure } from '../../src/failure.ts';
import type { LogPosition } from '../../src/store/changes.ts';

const changes = Array.from({ length: 1_000 }, (_, index): VisibleChange => {
  return { position: { pos: index + 1, mark: 0 }, kind: 'create', closed: `${index + 1}`, rest: '}' };
});

it('reads little more than what a client takes at a time', async () => {
  let asked = 0;
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const feeds = {
    add() {},
    remove() {},
    feedOf: () => ({ join: () => true }),
    async read({ after, limit }: { after: LogPosition; limit: number }) {
      asked += limit;
      const page = changes.slice(after.pos, after.pos + limit);
      const next = page.at(-1)?.position ?? after;
      if (page.length === 0) end();
      return { changes: page, next, upToDate: page.length === 0, pending: false, following: {} };
    },
  } as unknown as Feeds;
  let [room, told] = [2, 0];
  const sink: Sink = {
    get ready() {
      return room > 0;
    },
    write(text) {
      if (!text.includes('event: create')) return;
      told += 1;
      room -= 1;
      if (room === 0) setTimeout(read, 0);
    },
    close() {},
  };
  const stream = new Stream({
    ...{ feeds, project: 'p', cipher: new CursorCipher(new Uint8Array(32)), authority: undefined, sink },
    ...{ wanted: { caller: { kind: 'nobody' }, names: undefined }, after: { pos: 0, mark: 0 } },
    ...{
      expires: Number.POSITIVE_INFINITY,
      isGood: async () => true,
      failed: (error) => assert.fail(String(error)),
    },
  });
  /** Two at a time. */
  function read() {
    room = 2;
    stream.go();
  }
  stream.go();
  await over;
  assert.equal(told, changes.length);
  assert.ok(asked < 4 * changes.length, `${asked} changes were read`);
});

it('an error that nobody expected ends it, and is reported once', async () => {
  const feeds = { add() {}, remove() {}, read: () => Promise.reject(new TypeError('a bug')) };
  const [told, reported] = [[] as string[], [] as unknown[]];
  const { promise: over, resolve: close } = Promise.withResolvers<void>();
  const sink: Sink = { ready: true, write: (text) => void told.push(text), close };
  const stream = new Stream({
    ...{ feeds: feeds as unknown as Feeds, project: 'p', cipher: new CursorCipher(new Uint8Array(32)), sink },
    ...{ wanted: { caller: { kind: 'nobody' }, names: undefined }, authority: undefined, after: 'oldest' },
    ...{ expires: Number.POSITIVE_INFINITY, isGood: async () => true },
    failed: (error) => void reported.push(error),
  });
  stream.go();
  await over;
  assert.deepEqual(told, ['event: end\ndata: {}\n\n']);
  assert.match(String(reported), /^TypeError: a bug$/);
});

it('four reads are under way at once, and none is made for a client that has left before its turn', async () => {
  const underWay: ((page: ChangesPage) => void)[] = [];
  const use = () => new Promise<ChangesPage>((resolve) => void underWay.push(resolve));
  const feeds = new Feeds({ use } as unknown as Catalog, () => 0);
  const cipher = new CursorCipher(new Uint8Array(32));
  const told: string[] = [];
  const open = (project: string) => {
    const stream = new Stream({
      ...{ feeds, project, cipher, authority: undefined, isGood: undefined, after: 'oldest' },
      ...{ wanted: { caller: { kind: 'nobody' }, names: undefined }, expires: Number.POSITIVE_INFINITY },
      sink: {
        ready: true,
        write: (text) => void (text.startsWith('event: end') && told.push(project)),
        close() {},
      },
      failed: (error) => assert.fail(String(error)),
    });
    stream.go();
    return stream;
  };
  const over = new Failure('absent', 'It is over');
  const nothing = { changes: [], next: { pos: 1, mark: 0 }, upToDate: true, revoked: undefined };
  const page = { ...nothing, cipher, over, following: {} } as unknown as ChangesPage;
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  try {
    for (const project of ['a', 'b', 'c', 'd']) open(project);
    for (const stream of Array.from({ length: 50 }, () => open('left'))) stream.cancel();
    open('e');
    assert.equal(underWay.length, 4);
    underWay.shift()?.(page);
    await settled();
    assert.deepEqual([told, underWay.length], [['a'], 4]);
    underWay.pop()?.(page);
    await settled();
    assert.deepEqual([told, underWay.length], [['a', 'e'], 3], 'the next is for who waited');
  } finally {
    feeds.stop();
  }
});
