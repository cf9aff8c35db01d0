import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithout } from '../browser.ts';
import { places } from './places.ts';
import { assertAccessible, assertKept, done, makeShop, startConsole } from './world.ts';

const world = await startConsole();
const skip = skipWithout(world?.browser);
before(async () => {
  if (world) await makeShop(world, 'shop', 6); // rows are alike, and each is looked at
});
after(() => world?.close());

describe('every screen is accessible', { skip }, () => {
  // One page for all: what the browser has fetched and compiled is there for the next.
  let page: Page | undefined;
  after(() => page && done(page));
  for (const { name, path, show, within = 'html' } of places) {
    it(`${name}, light and dark`, async () => {
      assert.ok(world);
      if (page) {
        await page.evaluate(() => localStorage.clear()); // drafts of the place before
        await page.emulateMedia({ colorScheme: 'light' });
        await page.goto(`${world.base}/_console${path}`);
      } else page = await world.at(path);
      await show(page);
      await assertAccessible(page, `${name}, light`, { within });
      await assertAccessible(page, `${name}, dark`, { dark: true, within });
      assertKept(page);
    });
  }

  it('on a phone nothing is wider than the window, and the menu opens', async () => {
    assert.ok(world);
    for (const path of [
      '/',
      '/shop',
      '/shop/_settings',
      '/shop/products',
      '/shop/_users',
      '/shop/_access',
      '/shop/products/_definition',
      '/shop/products/_import',
    ]) {
      const page = await world.at(path, { phone: true });
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(200);
      const [wide, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(Number(wide) <= Number(width), `${path}: ${wide}`);
      if (path === '/shop/products') {
        await page.getByRole('button', { name: 'Menu' }).click();
        await page.getByRole('navigation', { name: 'Main' }).waitFor();
        await assertAccessible(page, `${path} on a phone`);
      }
      await done(page);
    }
  });

  it('on a phone the list is sorted without its header', async () => {
    assert.ok(world);
    const page = await world.at('/shop/products?status=live', { phone: true });
    const first = page.getByRole('row').filter({ hasText: 'Product' }).first();
    const sort = page.getByLabel('Sort', { exact: true });
    assert.equal(await sort.inputValue(), '');
    await sort.selectOption('price ↓');
    await page.waitForURL(/status=live&sort=-price/);
    const last = await first.innerText();
    await sort.selectOption('price ↑');
    await page.waitForURL(/status=live&sort=price/);
    await first.getByText('Product 00000').waitFor();
    assert.doesNotMatch(last, /Product 00000/);
    await page.goto(`${world.base}/_console/shop/products?sort=status,-title`);
    await sort.waitFor();
    assert.equal(
      await sort.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text),
      'status ↑, title ↓',
    );
    await sort.selectOption('Not sorted');
    await page.waitForURL((url) => !url.search.includes('sort'));
    await done(page);
  });
});
