import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createClient } from '../../client/client.ts';
import { skipWithout } from '../browser.ts';
import { intercept } from '../intercept.ts';
import { cell, panel } from './parts.ts';
import { done, makeShop, startConsole } from './world.ts';

const world = await startConsole();
const skip = skipWithout(world?.browser);
const rows = (page: Page) => page.getByRole('grid').getByRole('row');

before(async () => {
  if (world) await makeShop(world, 'shop', 3_000);
});
after(() => world?.close());

const products = async (path = '') => {
  assert.ok(world);
  const page = await world.at(`/shop/products${path}`);
  await cell(page, path.includes('sort=-title') ? 'Product 02999' : 'Product 00000').waitFor();
  return page;
};
const search = (page: Page) => decodeURIComponent(new URL(page.url()).search);

describe('the records of a collection', { skip }, () => {
  it('are drawn as far as they are seen, and counted when somebody asks', async () => {
    const page = await products();
    assert.ok((await rows(page).count()) < 80);
    await page.getByText('100 of many').waitFor();
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByText('100 of 3,000').waitFor();
    const grid = page.getByRole('grid');
    for (const loaded of ['200', '300', '400', '500']) {
      await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await page.getByText(`${loaded} of`).waitFor();
    }
    assert.ok((await rows(page).count()) < 80, 'however far it is scrolled');
    await done(page);
  });

  it('are filtered by a dialog or by the API’s own query, and all of it is in the address', async () => {
    const page = await products();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Filter' });
    await dialog.getByLabel('Field').selectOption('price');
    await dialog.getByLabel('Condition').selectOption('>=');
    await dialog.getByLabel('Value').fill('2995');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('5 records').waitFor();
    assert.equal(search(page), '?price>=2995');
    await page.getByRole('button', { name: 'Edit as an API query' }).click();
    const query = page.getByLabel("The API's query");
    assert.equal(await query.inputValue(), 'price>=2995');
    await query.fill('price>=2990&tags=odd&sort=-price');
    await query.press('Enter');
    // There were five before too.
    const first = rows(page).nth(1).getByRole('gridcell').nth(1);
    await first.filter({ hasText: /^Product 02999$/ }).waitFor();
    await page.getByText('5 records').waitFor();
    await page.reload();
    await page.getByText('5 records').waitFor();
    assert.equal(search(page), '?price>=2990&tags=odd&sort=-price');
    await page.goBack();
    await page.goBack();
    await page.getByText('100 of many').waitFor();
    await done(page);
  });

  it('that are filtered by several numbers show all of them where the filter is edited', async () => {
    assert.ok(world);
    const page = await world.at('/shop/products?price!=1,2&price<5');
    await page.getByText('3 records').waitFor();
    const filter = page.getByTitle('Edit this filter').first();
    await filter.click();
    const dialog = page.getByRole('dialog', { name: 'Filter' });
    const remove = (value: number) => dialog.getByRole('button', { name: `Remove ${value}` });
    await remove(1).waitFor();
    await remove(2).waitFor();
    await dialog.getByLabel('Value').fill('4');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('2 records').waitFor();
    assert.equal(search(page), '?price!=1,2,4&price<5');
    await world.go(page, '/shop/products?price=1,2');
    await page.getByText('price: takes one value, not 2').waitFor();
    await filter.click();
    await remove(2).click();
    assert.equal(await dialog.getByLabel('Value').inputValue(), '1');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('1 record', { exact: true }).waitFor();
    assert.equal(search(page), '?price=1');
    await done(page);
  });

  it('that are filtered by a moment say which, to the millisecond', async () => {
    assert.ok(world);
    const page = await world.at('/shop/products?releasedAt>=2026-01-01T10:20:30.250Z');
    await page.getByText(/11:20:30\.250/).waitFor();
    await done(page);
  });

  it('are searched and sorted by the server, and a wrong query is told', async () => {
    const page = await products();
    await page.keyboard.press('/');
    await page.keyboard.type('product 01234');
    await page.getByText('1 record', { exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await page.getByText('100 of many').waitFor();
    await page.getByRole('button', { name: 'title', exact: true }).click();
    await page.getByRole('button', { name: 'title', exact: true }).click();
    await cell(page, 'Product 02999').waitFor();
    assert.equal(search(page), '?sort=-title');
    assert.equal(
      await page.getByRole('columnheader', { name: 'title' }).getAttribute('aria-sort'),
      'descending',
    );
    await page.goto(`${world?.base}/_console/shop/products?pric=5`);
    await page
      .getByRole('alert')
      .getByText(/did you mean/i)
      .waitFor();
    await done(page);
  });

  it('show the columns that were chosen, also after a reload', async () => {
    const page = await products();
    await page.getByRole('button', { name: 'Columns' }).click();
    const dialog = page.getByRole('dialog', { name: 'Columns' });
    await dialog.getByLabel(/^status/).uncheck();
    await dialog.getByRole('button', { name: 'Pin price' }).click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('columnheader', { name: /^price/ }).waitFor();
    const heads = async () =>
      (await page.getByRole('columnheader').allTextContents()).map((text) => text.trim()).filter(Boolean);
    assert.deepEqual((await heads()).slice(0, 3), ['price', 'title', 'inStock']);
    await page.goto(`${world?.base}/_console/shop/products`);
    await cell(page, 'Product 00000').waitFor();
    assert.deepEqual((await heads()).slice(0, 3), ['price', 'title', 'inStock']);
    await done(page);
  });

  it('are reached by the keyboard alone', async () => {
    const page = await products();
    const focused = (selector: string) =>
      page.evaluate((one) => document.querySelector(one) !== null, selector);
    await page.keyboard.press('Tab');
    assert.ok(await focused('.skip:focus'));
    await page.getByRole('button', { name: 'Column Changed' }).focus();
    await page.keyboard.press('Tab');
    assert.ok(!(await focused('.grid :focus')), 'past whatever is in the rows');
    await page.getByRole('grid').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await panel(page).getByRole('heading', { name: 'Product 00002' }).waitFor();
    await page.keyboard.press('Enter');
    assert.ok(await focused('.panel-body input:focus'));
    await page.getByRole('grid').focus();
    await page.keyboard.press(' ');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('3 selected').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    await page.getByRole('columnheader', { name: 'price' }).getByRole('button').first().focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await cell(page, 'Product 02999').waitFor();
    await page.keyboard.press('Enter'); // still there: sorted no more
    await cell(page, 'Product 00000').waitFor();
    await done(page);
  });
});

describe('the focus', { skip }, () => {
  const focused = (page: Page) =>
    page.evaluate(() => {
      const { activeElement: at } = document;
      return at?.getAttribute('aria-label') ?? at?.closest('.field')?.querySelector('label')?.textContent;
    });

  it('goes on with the next record, back to the list with the end of it, and into a new one', async () => {
    const page = await products();
    await cell(page, 'Product 00020').click();
    await panel(page).getByRole('heading', { name: 'Product 00020' }).waitFor();
    await panel(page).getByRole('button', { name: 'Next record' }).focus();
    for (const number of [21, 22, 23]) {
      await page.keyboard.press('Enter');
      await panel(page)
        .getByRole('heading', { name: `Product 000${number}` })
        .waitFor();
      assert.equal(await focused(page), 'Next record');
    }
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    await page.getByRole('grid').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await panel(page).getByRole('heading', { name: 'Product 00024' }).waitFor();
    await page.getByRole('button', { name: 'New record' }).click();
    await panel(page).getByRole('heading', { name: 'New record' }).waitFor();
    assert.equal(await focused(page), 'title *');
    await done(page);
  });

  it('stays in the panel at the last record and after a creation: Escape closes it', async () => {
    const page = await products('?price<=1');
    await cell(page, 'Product 00000').click();
    await panel(page).getByRole('button', { name: 'Next record' }).press('Enter');
    await panel(page).getByRole('heading', { name: 'Product 00001' }).waitFor();
    assert.equal(await focused(page), 'Previous record');
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New record' }).click();
    await panel(page).getByRole('textbox', { name: 'title' }).fill('Seen when made');
    await page.keyboard.press('Control+s');
    const heading = panel(page).getByRole('heading', { name: 'Seen when made' });
    await heading.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    await done(page);
  });

  it('stays with whoever types elsewhere until the next record has come', async () => {
    const page = await products();
    await cell(page, 'Product 00001').click();
    const next = panel(page).getByRole('button', { name: 'Next record' });
    await next.waitFor();
    let release = () => {};
    const free = new Promise<void>((resolve) => {
      release = resolve;
    });
    await intercept(page, /\/products\/[^?]/, async (route) => {
      await free;
      await route.continue();
    });
    await next.click();
    await next.waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Search' }).focus();
    release();
    await panel(page).getByRole('heading', { name: 'Product 00002' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).and(page.locator(':focus')).waitFor();
    await done(page);
  });
});

describe('a record', { skip }, () => {
  it('is edited, saved, and the save undone', async () => {
    const page = await products();
    await cell(page, 'Product 00003').click();
    const title = panel(page).getByRole('textbox', { name: 'title' });
    await title.fill('Renamed');
    await panel(page).getByRole('textbox', { name: 'price' }).fill('-1');
    await panel(page).getByRole('button', { name: 'Save' }).click();
    await panel(page).getByText('must be at least 0').waitFor();
    assert.ok(
      await panel(page)
        .getByRole('textbox', { name: 'price' })
        .evaluate((element) => element === document.activeElement),
    );
    await panel(page).getByRole('textbox', { name: 'price' }).fill('12.50');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved Renamed').waitFor();
    await cell(page, 'Renamed').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await cell(page, 'Product 00003').waitFor();
    await done(page);
  });

  it('keeps what was typed over a reload, another record and the end of the sign-in', async () => {
    assert.ok(world);
    const page = await products();
    await cell(page, 'Product 00004').click();
    await panel(page).getByRole('textbox', { name: 'title' }).fill('Typed, not saved');
    await page.reload();
    await panel(page).getByText('1 unsaved change').waitFor();
    assert.equal(await panel(page).getByRole('textbox', { name: 'title' }).inputValue(), 'Typed, not saved');
    await panel(page).getByRole('button', { name: 'Next record' }).click();
    await panel(page).getByRole('heading', { name: 'Product 00005' }).waitFor();
    await panel(page).getByRole('button', { name: 'Previous record' }).click();
    await panel(page).getByRole('heading', { name: 'Typed, not saved' }).waitFor();
    // A record that is looked at is also read anew by itself: what is refused here is to save it.
    await intercept(page, '**/v1/shop/products/*', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 401, json: { ok: false, error: 'The token is not valid or has expired' } })
        : route.continue(),
    );
    await panel(page).getByRole('button', { name: 'Save' }).click();
    const gate = page.getByRole('dialog', { name: 'You have been signed out' });
    await gate.getByRole('button', { name: 'Use a key instead' }).click();
    await page.unrouteAll();
    await gate.getByLabel("Administrator's key").fill('a-key-for-the-console');
    await gate.getByRole('button', { name: 'Sign in' }).click();
    await panel(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved Typed, not saved').waitFor();
    await done(page);
  });

  it('that is left says that what was typed is kept; where it can not be, leaving the page asks', async () => {
    const page = await products();
    const typeInto = async (name: string) => {
      await cell(page, name).click();
      await panel(page).getByRole('heading', { name }).waitFor();
      await panel(page).getByRole('textbox', { name: 'title' }).fill(`${name} typed`);
    };
    await typeInto('Product 00008');
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await page.getByText('are kept as a draft').waitFor();
    await page.getByRole('button', { name: 'New record', exact: true }).click();
    await panel(page).getByRole('textbox', { name: 'title' }).fill('Begun');
    await page.reload();
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'New record draft' }).click();
    await panel(page).getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'New record', exact: true }).waitFor();
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    await typeInto('Product 00009');
    await page.getByText('storage is full').waitFor();
    await panel(page).getByRole('button', { name: 'Next record' }).click();
    await panel(page).getByRole('heading', { name: 'Product 00010' }).waitFor();
    await panel(page).getByRole('button', { name: 'Previous record' }).click();
    await panel(page).getByRole('heading', { name: 'Product 00009 typed' }).waitFor();
    const question = page.waitForEvent('dialog');
    await page.evaluate(() => setTimeout(() => location.reload()));
    assert.equal((await question).type(), 'beforeunload');
    await (await question).dismiss();
    await panel(page).getByRole('button', { name: 'Discard' }).click();
    await page.reload(); // a question would stop it
    await cell(page, 'Product 00009').waitFor();
    await done(page);
  });

  it('keeps what was typed when nobody answers, and saves it later', async () => {
    const page = await products();
    await cell(page, 'Product 00006').click();
    await panel(page).getByRole('textbox', { name: 'title' }).fill('Offline');
    await intercept(page, '**/v1/**', (route) => route.abort());
    await panel(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('The server is not responding').waitFor();
    await panel(page)
      .getByRole('alert')
      .getByText(/No answer/)
      .waitFor();
    await page.unrouteAll();
    await panel(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved Offline').waitFor();
    await page.getByText('The server is not responding').waitFor({ state: 'detached' });
    await done(page);
  });

  it('keeps what was typed when nobody knows whether it was saved', async () => {
    const page = await products();
    await cell(page, 'Product 00012').click();
    await panel(page).getByRole('textbox', { name: 'title' }).fill('Perhaps saved');
    const error = 'Nobody knows whether this was done: look before you send it again';
    await intercept(page, '**/v1/shop/products/*', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 503, json: { ok: false, error } })
        : route.continue(),
    );
    await panel(page).getByRole('button', { name: 'Save' }).click();
    await panel(page).getByRole('alert').getByText(error).waitFor();
    await page.unrouteAll();
    await page.reload();
    await panel(page).getByText('1 unsaved change').waitFor();
    await panel(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved Perhaps saved').waitFor();
    await done(page);
  });

  it('that two people change shows what it was, mine and theirs', async () => {
    assert.ok(world);
    const page = await products();
    await cell(page, 'Product 00007').click();
    await panel(page).getByRole('textbox', { name: 'title' }).fill('Mine');
    await panel(page).getByRole('textbox', { name: 'price' }).fill('70');
    const id = new URL(page.url()).searchParams.get('_open') ?? '';
    await world.admin.records('shop').collection('products').update(id, { title: 'Theirs', inStock: true });
    await panel(page).getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody else has changed this record' });
    await dialog.getByText('You have both changed 1 field').waitFor();
    await dialog.getByRole('radio', { name: 'title: Theirs' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved Theirs').waitFor();
    const { title, price, inStock } = await world.admin.records('shop').collection('products').view(id);
    assert.deepEqual([title, price, inStock], ['Theirs', 70, true]);
    await done(page);
  });

  it('is created with a relation that is found by name, or created on the way', async () => {
    assert.ok(world);
    const page = await products();
    await page.getByRole('button', { name: 'New record' }).click();
    await panel(page).getByRole('textbox', { name: 'title' }).fill('With a new brand');
    const picker = panel(page).getByRole('combobox', { name: 'brand' });
    await picker.fill('saku');
    await page.getByRole('option', { name: /Sakura/ }).waitFor();
    await picker.press('Enter');
    await panel(page).getByRole('link', { name: 'Sakura' }).waitFor();
    await picker.fill('Brand made inside');
    await page.getByRole('option', { name: 'Create “Brand made inside”' }).click();
    const inside = page.getByRole('dialog', { name: 'New in Brands' });
    assert.equal(await inside.getByRole('textbox', { name: 'name' }).inputValue(), 'Brand made inside');
    await inside.getByRole('button', { name: 'Create', exact: true }).click();
    await panel(page).getByRole('link', { name: 'Brand made inside' }).waitFor();
    await panel(page).getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Created With a new brand').waitFor();
    await done(page);
  });

  it('is edited as JSON too', async () => {
    const page = await products();
    await cell(page, 'Product 00008').click();
    await panel(page).getByRole('tab', { name: 'JSON' }).click();
    const editor = panel(page).getByRole('textbox', { name: 'The record as JSON' });
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{"title": "By hand", "price": ');
    await panel(page).getByRole('alert').waitFor();
    await page.keyboard.type('8}');
    await panel(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved By hand').waitFor();
    await done(page);
  });

  it('is deleted after ten seconds in which it can be taken back; what points to it is told before', async () => {
    assert.ok(world);
    const page = await products();
    await cell(page, 'Product 00009').click();
    await panel(page).getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Product 00009?' });
    await dialog.getByText('No other record points to it').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await cell(page, 'Product 00009').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await cell(page, 'Product 00009').waitFor();
    await page.goto(`${world.base}/_console/shop/brands`);
    await cell(page, 'Fjord').click();
    await panel(page).getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const brand = page.getByRole('dialog', { name: 'Delete Fjord?' });
    await brand.getByText(/Prevented by 1,000 records of Products/i).waitFor();
    assert.ok(await brand.getByRole('button', { name: 'Delete' }).isDisabled());
    await done(page);
  });
});

describe('many records', { skip }, () => {
  it('are edited in the list, and all changes saved together or not at all', async () => {
    assert.ok(world);
    const page = await products();
    await page.getByRole('button', { name: 'Edit in the list' }).click();
    await cell(page, 'Product 00020').click();
    await page.keyboard.type('First of two');
    await page.keyboard.press('Enter');
    await cell(page, '21').click();
    await page.keyboard.type('-5');
    await page.keyboard.press('Enter');
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    await bar.getByText('2 records have unsaved changes').waitFor();
    await page.reload();
    await bar.getByRole('button', { name: 'Review' }).click();
    const review = page.getByRole('dialog', { name: 'Unsaved changes' });
    await review.getByRole('row', { name: /Product 00021 price 21 -5/ }).waitFor();
    await review.getByRole('button', { name: 'Save all' }).click();
    await page.getByText(/Product 00021: price: must be at least 0/).waitFor();
    const [first] = (
      await world.admin
        .records('shop')
        .collection('products')
        .list({ where: { price: 20 } })
    ).found;
    assert.equal(first?.title, 'Product 00020', 'nothing of it was saved');
    await panel(page).getByRole('textbox', { name: 'price' }).fill('5');
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await bar.getByRole('button', { name: 'Save all' }).click();
    await page.getByText('Saved 2 records').waitFor();
    await cell(page, 'First of two').waitFor();
    await done(page);
  });

  it('are selected by a range, and changed together', async () => {
    const page = await products('?sort=-title');
    await page.getByLabel('Select Product 02999').click();
    await page.getByLabel('Select Product 02990').click({ modifiers: ['Shift'] });
    await page.getByText('10 selected').waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit 10 records' });
    await dialog.getByLabel('Change status').check();
    await dialog.getByRole('combobox', { name: 'status' }).selectOption('live');
    await dialog.getByRole('button', { name: 'Change 1 field' }).click();
    await dialog.getByText('Done: 10 records').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('10 selected').waitFor({ state: 'detached' });
    await done(page);
  });

  it('that match are deleted in batches, once that is confirmed by typing', async () => {
    assert.ok(world);
    const page = await world.at('/shop/products?price>=500&price<2600');
    await cell(page, 'Product 00500').waitFor(); // before that there is nothing to select
    await page.getByLabel('Select all that are loaded').check();
    await page.getByRole('button', { name: 'Select all that match' }).click();
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete all records that match?' });
    assert.ok(await dialog.getByRole('button', { name: 'Delete' }).isDisabled());
    await dialog.getByLabel('Type products to confirm').fill('products');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('Done: 2,100 records').waitFor();
    await page.keyboard.press('Enter'); // at the button that closes it
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('No record matches').waitFor();
    await done(page);
  });

  it('are exported as they are on the screen', async () => {
    const page = await products('?price<2');
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as CSV' }).click(),
    ]);
    const stream = await download.createReadStream();
    let text = '';
    for await (const part of stream) text += part;
    assert.match(text, /^_id,title,status,price,.*\r?\n/);
    assert.equal(text.trim().split('\n').length, 3);
    await done(page);
  });

  it('are asked for by code of the very view, to copy or to send', async () => {
    const page = await products('?price<2&sort=title');
    await page.getByRole('link', { name: 'API', exact: true }).click();
    assert.equal(await page.getByLabel('Query').inputValue(), 'price<2&sort=title');
    await page.getByLabel('Language').selectOption('client');
    await page.getByText("list({ where: { price: { '<': 2 } }, sort: ['title'] })").waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^200 in/).waitFor();
    await page.getByRole('link', { name: 'Records', exact: true }).click();
    await page.getByText('2 records').waitFor();
    await done(page);
  });

  it('can be kept as a view with a name', async () => {
    const page = await products('?price<2');
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill(' ');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Give it a name.').waitFor();
    await page.getByRole('dialog').getByLabel('Name').fill('The cheap ones');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.goto(`${world?.base}/_console/shop/products`);
    await page.getByText('100 of many').waitFor();
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'The cheap ones' }).click();
    await page.getByText('2 records').waitFor();
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('menuitem', { name: 'Delete the view' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'The cheap ones' }).waitFor();
    await done(page);
  });
});

describe('records as others see them', { skip }, () => {
  const choose = async (page: Page, who: string, token?: string) => {
    await page.getByRole('main').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'View as …' }).click();
    const dialog = page.getByRole('dialog', { name: 'View as …' });
    await dialog.getByLabel('Who').selectOption(who);
    if (token !== undefined) await dialog.getByLabel('Access token or server key').fill(token);
    await dialog.getByRole('button', { name: 'View', exact: true }).click();
    return dialog;
  };

  it('nobody sees what is public, and of the rest why not; nothing of it is exported', async () => {
    assert.ok(world);
    const page = await world.at('/shop/brands');
    await choose(page, 'nobody');
    await page.getByText('You see the records as anybody without a token does').waitFor();
    await cell(page, 'Fjord').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Products' }).click();
    await page
      .getByRole('alert')
      .getByText(/signed-in callers/)
      .waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
    await page
      .getByRole('status')
      .getByText(/signed-in callers/)
      .waitFor();
    await page.getByRole('button', { name: 'Back to administrator' }).click();
    await cell(page, 'Product 00000').waitFor();
    await done(page);
  });

  it('a user sees their own, by a token or for a reason; a token that is not good is refused', async () => {
    assert.ok(world);
    const kept = new Map<string, string>();
    const storage = {
      getItem: (key: string) => kept.get(key),
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    };
    const user = createClient(world.base, { project: 'shop', storage });
    await user.auth.register({ email: 'viewer@example.com', password: 'correct horse' });
    await user.collection('products').create({ title: 'Hers alone' });
    const { accessToken } = JSON.parse([...kept.values()][0] ?? '{}') as { accessToken: string };
    const page = await products();
    const dialog = await choose(page, 'token', 'no-token-of-anybody');
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Access token or server key').fill(accessToken);
    await dialog.getByRole('button', { name: 'View', exact: true }).click();
    await page.getByText('You see the records as viewer@example.com does').waitFor();
    await cell(page, 'Hers alone').waitFor();
    await page.getByText('1 record', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Back to administrator' }).click();
    await page.goto(`${world.base}/_console/shop/_users`);
    await page.getByRole('button', { name: 'Actions for viewer@example.com' }).click();
    await page.getByRole('menuitem', { name: 'View as this user' }).click();
    await page.getByLabel('Reason').fill('She asked for help');
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await page.getByText('You see the records as viewer@example.com does').waitFor();
    await page
      .getByRole('main')
      .getByRole('link', { name: /Products/ })
      .click();
    await cell(page, 'Hers alone').waitFor();
    await page.getByText('1 record', { exact: true }).waitFor();
    await done(page);
  });
});
