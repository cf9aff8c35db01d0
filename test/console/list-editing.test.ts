import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { skipWithout } from '../browser.ts';
import { done, makeShop, startConsole } from './world.ts';

const world = await startConsole();
const skip = skipWithout(world?.browser);
const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true });
const panel = (page: Page) => page.getByRole('complementary', { name: 'Record' });
const row = (page: Page, title: string) => page.getByRole('row').filter({ has: cell(page, title) });

before(async () => {
  if (world) await makeShop(world, 'shop', 30);
});
after(() => world?.close());

const collection = (name: string) => {
  assert.ok(world);
  return world.admin.records('shop').collection(name);
};
const find = async (title: string) => (await collection('products').list({ where: { title } })).found[0];
const start = async (query = '') => {
  assert.ok(world);
  const page = await world.at(`/shop/products${query}`);
  await cell(page, 'Product 00000').waitFor();
  return page;
};

describe('a cell that is edited in its place', { skip }, () => {
  const bar = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' });
  /** At a list that is being followed. */
  const following = async () => {
    assert.ok(world);
    const page = await world.open();
    const isStream = (request: Request) => request.headers().accept === 'text/event-stream';
    await Promise.all([page.waitForRequest(isStream), world.go(page, '/shop/products')]);
    await page.waitForTimeout(300);
    await page.getByRole('button', { name: 'Edit in the list' }).click();
    return page;
  };

  it('and left as it was changes nothing that somebody else has made of it meanwhile', async () => {
    const page = await following();
    await cell(page, 'Product 00001').click();
    const record = await find('Product 00001');
    await collection('products').update(record?._id ?? '', { title: 'Theirs', price: 1.5 });
    await cell(page, '1.5').waitFor();
    await page.keyboard.press('Enter');
    await cell(page, 'Theirs').waitFor();
    assert.equal(await bar(page).count(), 0);
    await done(page);
  });

  it('is a change of the version that it began with', async () => {
    const page = await following();
    await cell(page, 'Product 00002').click();
    const record = await find('Product 00002');
    await collection('products').update(record?._id ?? '', { title: 'Theirs too', price: 2.5 });
    await cell(page, '2.5').waitFor();
    await page.keyboard.type('Mine');
    await page.keyboard.press('Enter');
    await bar(page).getByRole('button', { name: 'Save all' }).click();
    await page.getByText(/Nothing was saved: somebody else has changed Product 00002/).waitFor();
    await done(page);
  });

  it('takes a token that was typed, by Tab and by a click elsewhere', async () => {
    const page = await start();
    await page.getByRole('button', { name: 'Edit in the list' }).click();
    const tags = (title: string, text: string) =>
      row(page, title).getByRole('gridcell', { name: text, exact: true });
    await tags('Product 00004', 'even').click();
    await page.keyboard.type('tea');
    await page.keyboard.press('Tab');
    await tags('Product 00004', 'even, tea').waitFor();
    await page.keyboard.press('Escape');
    await tags('Product 00006', 'even').click();
    await page.keyboard.type('coffee');
    await page.getByRole('heading', { name: 'Products' }).click();
    await tags('Product 00006', 'even, coffee').waitFor();
    await tags('Product 00008', 'even').click();
    await page.keyboard.type('one');
    await page.keyboard.press('Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Shift+Tab');
    await tags('Product 00008', 'even, one, two').waitFor();
    await page.keyboard.press('Escape');
    await bar(page).getByText('3 records have unsaved changes').waitFor();
    await done(page);
  });
});
