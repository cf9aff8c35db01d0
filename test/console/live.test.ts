import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { skipWithout } from '../browser.ts';
import { intercept } from '../intercept.ts';
import { cell, isStream } from './parts.ts';
import { done, makeShop, startConsole } from './world.ts';

const world = await startConsole();
const patience = { timeout: 60_000 };

describe('a list while others write', { skip: skipWithout(world?.browser), timeout: 280_000 }, () => {
  before(async () => {
    if (world) await makeShop(world, 'shop', 20);
  });
  after(() => world?.close());

  const firstRow = (page: Page) => page.getByRole('grid').getByRole('row').nth(1).textContent();
  const products = () => {
    assert.ok(world);
    return world.admin.records('shop').collection('products');
  };
  /** At a list that is being followed; what it asks of the feed from then on. */
  async function following(query: string) {
    assert.ok(world);
    const page = await world.open();
    const [stream] = await Promise.all([
      page.waitForRequest(isStream, patience),
      world.go(page, `/shop/products${query}`),
    ]);
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('_changes') && asked.push(request.url()));
    await page.waitForTimeout(200);
    return { page, asked, stream };
  }
  const see = (page: Page, state: 'hidden' | 'visible') =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);

  it('counts what is new and leaves the rows where they are; what is shown becomes what it is', async () => {
    const { page, asked } = await following('?sort=-title');
    await cell(page, 'Product 00019').waitFor();
    const first = await firstRow(page);
    const [made] = await Promise.all(['Zebra', 'Yak'].map((title) => products().create({ title })));
    const note = page.getByRole('button', { name: 'Show 2 new' });
    await note.waitFor();
    assert.equal(await firstRow(page), first);
    const { found } = await products().list({ where: { title: 'Product 00018' } });
    await products().update(found[0]?._id ?? '', { title: 'Product 00018 b' });
    await cell(page, 'Product 00018 b').waitFor();
    await page.waitForTimeout(1_000);
    await note.click();
    await cell(page, 'Zebra').waitFor();
    await note.waitFor({ state: 'detached' });
    await products().delete(made?._id ?? '');
    await cell(page, 'Zebra').waitFor({ state: 'detached' });
    assert.ok(asked.length <= 3, `nothing is asked again and again: ${asked.join(' ')}`);
    await done(page);
  });

  it('counts of a filtered list what it would have', async () => {
    const { page } = await following('?price>=1000');
    await products().create({ title: 'Cheap', price: 1 });
    await products().create({ title: 'Dear', price: 2_000 });
    await page.getByRole('button', { name: 'Show 1 new' }).click();
    await cell(page, 'Dear').waitFor();
    assert.equal(await cell(page, 'Cheap').count(), 0);
    await done(page);
  });

  it('follows nothing while nobody sees it, and then tells what has happened', async () => {
    const { page, asked, stream } = await following('');
    const isOver = { predicate: (request: Request) => request === stream, ...patience };
    await Promise.all([page.waitForEvent('requestfailed', isOver), see(page, 'hidden')]);
    asked.length = 0;
    await products().create({ title: 'In the dark' });
    await page.waitForTimeout(1_500);
    assert.deepEqual(asked, []);
    assert.equal(await page.getByRole('button', { name: /Show .* new/ }).count(), 0);
    await see(page, 'visible');
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor();
    await done(page);
  });

  it('asks now and then where streams do not get through', async () => {
    assert.ok(world);
    const page = await world.open();
    let held = 0;
    await intercept(page, /_changes/, (route, request) => {
      if (request.headers().accept !== 'text/event-stream') return route.continue();
      held += 1;
      return undefined; // nobody answers, as with a proxy that waits for the end
    });
    const isPage = (request: Request) => /_changes.*wait=/.test(request.url());
    await Promise.all([page.waitForRequest(isPage, patience), world.go(page, '/shop/products')]);
    assert.equal(held, 1);
    await products().create({ title: 'Held back' });
    await page.getByRole('button', { name: 'Show 1 new' }).click();
    await cell(page, 'Held back').waitFor();
    await done(page);
  });
});
