import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { type S3World, startS3World } from './s3-world.ts';

let world: S3World;
let now = Date.now();
let asked = Promise.withResolvers<void>();

beforeEach(async () => {
  world = await startS3World({ now: () => now });
  await world.catalog.createProject('shop', 'Shop');
  asked = Promise.withResolvers();
});
afterEach(() => world.close());

const isList = (url: string) => url.includes('list-type');
function silent(method: string) {
  world.server.trouble = (verb, url) => {
    if (verb !== method && !(method === 'LIST' && isList(url))) return undefined;
    asked.resolve();
    return 'silence';
  };
}

it('a server that stops does not wait for a bucket that says nothing, and has made no backup', async () => {
  silent('PUT');
  const { done } = await world.backups.start('shop', 'request');
  await asked.promise;
  const begun = performance.now();
  await world.backups.close();
  assert.ok(performance.now() - begun < 8_000);
  await assert.rejects(done, /The server is stopping/);
});

it('nor for a list of the backups, once requests are answered', async () => {
  silent('LIST');
  const listing = world.backups.list();
  await asked.promise;
  await world.backups.close();
  await assert.rejects(listing, /out of reach/);
});

it('the age of backups grows while they can not be listed, and is there soon', async () => {
  await (await world.backups.start('shop', 'schedule')).done;
  // Nobody who asks waits long for it.
  for (let tries = 0; (await world.backups.age()) !== 0; tries++) assert.ok(tries < 100);
  silent('LIST');
  now += 3_600_000;
  const begun = performance.now();
  assert.equal(await world.backups.age(), 3_600);
  assert.ok(performance.now() - begun < 8_000);
});
