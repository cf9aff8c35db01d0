import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { skipWithout } from '../browser.ts';
import { intercept } from '../intercept.ts';
import { cell, panel } from './parts.ts';
import { done, makeShop, startConsole } from './world.ts';

const world = await startConsole();
const skip = skipWithout(world?.browser);

before(async () => {
  if (world) await makeShop(world, 'shop', 10);
});
after(() => world?.close());

const products = async () => {
  assert.ok(world);
  const page = await world.at('/shop/products');
  await cell(page, 'Product 00000').waitFor();
  return page;
};

describe('a dialog', { skip }, () => {
  it('begins where something is typed, by Ctrl+K too', async () => {
    assert.ok(world);
    const page = await world.at('/shop');
    await page.getByRole('heading', { name: 'Collections' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('users'); // at once
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'New user' }).click();
    const dialog = page.getByRole('dialog', { name: 'New user' });
    await dialog.waitFor();
    await page.keyboard.type('bo@example.com');
    assert.equal(await dialog.getByLabel('Email').inputValue(), 'bo@example.com');
    await done(page);
  });

  it('asks before it takes along what was typed', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    const dialog = page.getByRole('dialog', { name: 'New webhook' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('button:focus', { hasText: 'New webhook' }).waitFor(); // where it was opened from
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Address').fill('https://example.com/a/long/one');
    const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
    for (let times = 0; times < 3; times += 1) {
      await page.keyboard.press('Escape');
      await question.waitFor();
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
    }
    assert.equal(await dialog.getByLabel('Address').inputValue(), 'https://example.com/a/long/one');
    await dialog.getByRole('button', { name: 'Close' }).first().click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    await done(page);
  });

  it('asks so too about a record that is made on the way to another', async () => {
    const page = await products();
    await cell(page, 'Product 00003').click();
    await panel(page).getByRole('combobox', { name: 'brand' }).fill('Brand of my own');
    await page.getByRole('option', { name: 'Create “Brand of my own”' }).click();
    const dialog = page.getByRole('dialog', { name: 'New in Brands' });
    await dialog.getByLabel('country').fill('Norway');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await dialog.getByRole('textbox', { name: 'country' }).inputValue(), 'Norway');
    await done(page);
  });

  it('stays until what it has begun is over, and says why that was refused', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_workspaces');
    const free = Promise.withResolvers<void>();
    await intercept(page, /\/workspaces$/, async (route) => {
      if (route.request().method() === 'POST') await free.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'New workspace' }).click();
    const dialog = page.getByRole('dialog', { name: 'New workspace' });
    await dialog.getByLabel('Name').fill('x'.repeat(1000));
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Create' }).and(page.locator(':disabled')).waitFor();
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape');
    assert.ok(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled());
    free.resolve();
    await dialog.locator('.field-error').waitFor();
    await done(page);
  });

  it('leaves what is told beside it to be read and clicked', async () => {
    const page = await products();
    await page.clock.install();
    await cell(page, 'Product 00007').click();
    await panel(page).getByRole('textbox', { name: 'title' }).fill('Seventh');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved Seventh').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard' });
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await dialog.getByText('Undone: Saved Seventh').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await cell(page, 'Product 00007').waitFor();
    const told = page.getByText('Undone: Saved Seventh');
    await told.hover();
    await page.clock.fastForward(5_000);
    await told.waitFor();
    await page.mouse.move(0, 0);
    await told.waitFor({ state: 'detached' });
    await done(page);
  });

  it('of a filter says that a value is missing', async () => {
    const page = await products();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Filter' });
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.getByText('Give a value').waitFor();
    await dialog.getByLabel('Condition').selectOption('unset');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No record matches').waitFor();
    await done(page);
  });
});

describe('in production', { skip }, () => {
  it('every screen has a colour as soon as the mark is set', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_settings');
    await page.getByLabel('Production').check();
    await page.locator('.shell.production').waitFor();
    await page.reload();
    await page.locator('.shell.production').waitFor();
    await page.getByTitle('Switch project').getByText('Production').waitFor();
    await page.getByLabel('Production').uncheck();
    await page.locator('.shell.production').waitFor({ state: 'detached' });
    await done(page);
  });

  it('nothing is deleted before a word was typed', async () => {
    assert.ok(world);
    const page = await products();
    await page.evaluate(() => localStorage.setItem('vitrine production shop', '1'));
    await cell(page, 'Product 00004').click();
    await panel(page).getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const record = page.getByRole('dialog', { name: 'Delete Product 00004?' });
    await record.getByText('No other record points to it').waitFor();
    assert.ok(await record.getByRole('button', { name: 'Delete' }).isDisabled());
    await page.keyboard.type('products');
    assert.equal(await record.getByLabel('Type products to confirm').inputValue(), 'products');
    await page.keyboard.press('Enter');
    await page.getByText('Deleting Product 00004').waitFor();
    await page.goto(`${world.base}/_console/shop/_users`);
    await page.getByRole('button', { name: 'Actions for ann@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const user = page.getByRole('dialog');
    await user.getByLabel('Type shop to confirm').waitFor();
    assert.ok(await user.getByRole('button', { name: 'Delete' }).isDisabled());
    await done(page);
  });
});

describe("where the browser's storage is full", { skip }, () => {
  it('a relation is picked and columns are chosen all the same, and a definition says that it is not kept', async () => {
    assert.ok(world);
    const page = await products();
    await page.evaluate(() => {
      for (let size = 1 << 20; size > 0; size >>= 1)
        try {
          for (let at = 0; ; at += 1) localStorage.setItem(`fill ${size} ${at}`, 'x'.repeat(size));
        } catch {}
    });
    await cell(page, 'Product 00005').click();
    const brand = panel(page).getByRole('combobox', { name: 'brand' });
    await brand.press('Backspace');
    const told = page.locator('.toast').filter({ hasText: "This browser's storage is full" });
    await told.getByRole('button', { name: 'Close' }).click();
    await told.waitFor({ state: 'detached' });
    await brand.click();
    await panel(page)
      .getByRole('option', { name: /Sakura/ })
      .click();
    await panel(page).getByRole('link', { name: 'Sakura' }).waitFor();
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page
      .getByRole('dialog')
      .getByLabel(/^status/)
      .uncheck();
    await page.getByRole('columnheader', { name: /status/ }).waitFor({ state: 'detached' });
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('link', { name: 'Definition' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('Other');
    await told.waitFor();
    await page.getByText('Not saved').waitFor();
    await done(page);
  });
});
