import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithout } from '../browser.ts';
import { box, panel } from './parts.ts';
import { done, makeShop, startConsole } from './world.ts';

const world = await startConsole();
const skip = skipWithout(world?.browser);

before(async () => {
  if (world) await makeShop(world, 'shop', 10);
});
after(() => world?.close());

const products = () => {
  assert.ok(world);
  return world.admin.records('shop').collection('products');
};
/** Two tabs of one browser, which share its storage, both with the same record. */
const twoTabs = async (query: string): Promise<[Page, Page]> => {
  assert.ok(world);
  const first = await world.at(`/shop/products${query}`);
  const second = await first.context().newPage();
  await world.go(second, `/shop/products${query}`);
  for (const page of [first, second]) await box(page, 'title').waitFor();
  return [first, second];
};
const openRecord = async (title: string) => {
  const [record] = (await products().list({ where: { title } })).found;
  return { id: record?._id ?? '', tabs: await twoTabs(`?_open=${record?._id}`) };
};
const unsaved = (page: Page) => panel(page).getByText(/unsaved change/);
const drafts = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('vitrine draft ')).length);

describe('a record in two tabs', { skip }, () => {
  it('is saved by one without what the other typed, which stays there', async () => {
    const { id, tabs } = await openRecord('Product 00001');
    const [first, second] = tabs;
    await box(first, 'title').fill('Mine');
    await box(second, 'price').fill('5');
    await box(first, 'title').press('Control+s');
    await first.getByText('Saved Mine').waitFor();
    await unsaved(first).waitFor({ state: 'detached' });
    assert.equal(await box(first, 'title').inputValue(), 'Mine');
    assert.equal(await box(second, 'price').inputValue(), '5');
    assert.equal(await drafts(second), 1, 'also if the other is reloaded');
    const { title, price } = await products().view(id);
    assert.deepEqual([title, price], ['Mine', 1]);
    await done(first);
  });

  it('is saved whole where the other has discarded its draft', async () => {
    const { tabs } = await openRecord('Product 00002');
    const [first, second] = tabs;
    await box(first, 'title').fill('Saved all the same');
    await panel(second).getByRole('button', { name: 'Close' }).click();
    await second
      .getByRole('region', { name: 'Unsaved changes' })
      .getByRole('button', { name: 'Discard all' })
      .click();
    await box(first, 'title').press('Control+s');
    await first.getByText('Saved Saved all the same').waitFor();
    await unsaved(first).waitFor({ state: 'detached' });
    assert.equal(await box(first, 'title').inputValue(), 'Saved all the same');
    await done(first);
  });

  it('is created by each, with nothing that is not saved', async () => {
    const [first, second] = await twoTabs('?_open=new');
    await box(first, 'title').fill('One');
    await box(second, 'title').fill('Other');
    await box(second, 'title').press('Control+s');
    await second.getByText('Created Other').waitFor();
    await box(first, 'title').press('Control+s');
    await first.getByText('Created One').waitFor();
    await panel(first).getByRole('heading', { name: 'One', exact: true }).waitFor();
    assert.equal(await unsaved(first).count(), 0);
    assert.equal(await drafts(first), 0);
    await done(first);
  });
});
