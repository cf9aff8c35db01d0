import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithout } from '../browser.ts';
import { cell, panel } from './parts.ts';
import { done, makeShop, startConsole, viewAsNobody } from './world.ts';

const world = await startConsole();

describe('a deletion that waits for ten seconds', { skip: skipWithout(world?.browser) }, () => {
  before(async () => {
    if (world) await makeShop(world, 'shop', 20);
  });
  after(() => world?.close());

  const find = async (title: string) => {
    assert.ok(world);
    return (await world.admin.records('shop').collection('products').list({ where: { title } })).found[0];
  };
  const start = async () => {
    assert.ok(world);
    const page = await world.at('/shop/products');
    await cell(page, 'Product 00000').waitFor();
    return page;
  };
  const remove = async (page: Page, title: string) => {
    await cell(page, title).click();
    await panel(page).getByRole('heading', { name: title, exact: true }).waitFor();
    await panel(page).getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: `Delete ${title}?` })
      .getByRole('button', { name: 'Delete' })
      .click();
    await cell(page, title).waitFor({ state: 'detached' });
  };
  const gone = async (title: string) => {
    for (let tries = 0; tries < 50 && (await find(title)); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(await find(title), undefined);
  };

  it('is what Ctrl+Z takes back, before an earlier save', async () => {
    const page = await start();
    await cell(page, 'Product 00001').click();
    await panel(page).getByRole('heading', { name: 'Product 00001' }).waitFor();
    await panel(page).getByRole('textbox', { name: 'price' }).fill('99');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved Product 00001').waitFor();
    await remove(page, 'Product 00002');
    await page.keyboard.press('Control+z');
    await page.getByText('Undone: Deleting Product 00002').waitFor();
    await cell(page, 'Product 00002').waitFor();
    assert.equal(await page.getByText('Deleting Product 00002', { exact: true }).count(), 0, 'its note goes');
    assert.equal((await find('Product 00001'))?.price, 99);
    await page.waitForTimeout(10_500);
    assert.ok(await find('Product 00002'), 'nothing is sent afterwards');
    await page.keyboard.press('Control+z');
    await page.getByText('Undone: Saved Product 00001').waitFor();
    assert.equal((await find('Product 00001'))?.price, 1);
    await done(page);
  });

  it('that was sent is no more to be taken back', async () => {
    const page = await start();
    await cell(page, 'Product 00003').click();
    await panel(page).getByRole('heading', { name: 'Product 00003' }).waitFor();
    await panel(page).getByRole('textbox', { name: 'price' }).fill('98');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved Product 00003').waitFor();
    await remove(page, 'Product 00004');
    await page.waitForTimeout(9_000);
    await gone('Product 00004');
    await page.keyboard.press('Control+z');
    await page.getByText('Undone: Saved Product 00003').waitFor();
    await done(page);
  });

  it('is sent when the page is loaded anew or closed', async () => {
    const page = await start();
    await remove(page, 'Product 00005');
    await page.reload();
    await cell(page, 'Product 00000').waitFor();
    await gone('Product 00005');
    await remove(page, 'Product 00006');
    await page.close({ runBeforeUnload: true });
    await gone('Product 00006');
    await done(page);
  });

  it('is sent before signing out', async () => {
    const page = await start();
    await remove(page, 'Product 00007');
    await page.getByRole('button', { name: "Administrator's key" }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await gone('Product 00007');
    await done(page);
  });

  /** What is open without TLS has no locks. */
  const signOutElsewhere = async (title: string, withLocks: boolean) => {
    assert.ok(world);
    const page = await world.open();
    if (!withLocks)
      await page
        .context()
        .addInitScript(() => Object.defineProperty(navigator, 'locks', { value: undefined }));
    await world.go(page, '/shop/products');
    const other = await page.context().newPage();
    await world.go(other, '/shop');
    await other.getByRole('heading', { name: 'Collections' }).waitFor();
    await remove(page, title);
    await other.getByRole('button', { name: "Administrator's key" }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    if (withLocks) assert.equal(await find(title), undefined);
    // It was sent, and nothing tells the other tab when it is through.
    else await gone(title);
    await done(page);
  };

  it('is sent before another tab signs out, which ends the sign-in here too', () =>
    signOutElsewhere('Product 00009', true));

  it('is so where the browser has no locks', () => signOutElsewhere('Product 00010', false));

  it('is made with the rights that it was decided with', async () => {
    const page = await start();
    await remove(page, 'Product 00008');
    await viewAsNobody(page);
    await page.waitForTimeout(9_000);
    await gone('Product 00008');
    await done(page);
  });
});
