import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { skipWithout } from '../browser.ts';
import { intercept } from '../intercept.ts';
import { cell, isStream, panel } from './parts.ts';
import { done, makeShop, startConsole, viewAsNobody } from './world.ts';

const world = await startConsole();
const skip = skipWithout(world?.browser);
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
    await Promise.all([page.waitForRequest(isStream), world.go(page, '/shop/products')]);
    await page.waitForTimeout(300);
    await page.getByRole('button', { name: 'Edit in the list' }).click();
    return page;
  };

  it('and left as it was changes nothing that somebody else has made of it meanwhile', async () => {
    const page = await following();
    await cell(page, 'Product 00001').click();
    const record = await find('Product 00001');
    await collection('products').update(record?._id ?? '', { title: 'Product of theirs', price: 1.5 });
    await cell(page, '1.5').waitFor();
    await page.keyboard.press('Enter');
    await cell(page, 'Product of theirs').waitFor();
    assert.equal(await bar(page).count(), 0);
    await done(page);
  });

  it('is a change of the version that it began with', async () => {
    const page = await following();
    await cell(page, 'Product 00002').click();
    const record = await find('Product 00002');
    await collection('products').update(record?._id ?? '', { title: 'Product of theirs too', price: 2.5 });
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

describe('Ctrl+S in the list', { skip }, () => {
  it('saves all that was changed, with the cell that is being edited', async () => {
    const page = await start();
    await page.getByRole('button', { name: 'Edit in the list' }).click();
    for (const title of ['Product 00010', 'Product 00011']) {
      await cell(page, title).click();
      await page.keyboard.type(`${title} by key`);
      if (title === 'Product 00010') await page.keyboard.press('Enter');
    }
    await page.keyboard.press('Control+s');
    await page.getByText('Saved 2 records').waitFor();
    assert.ok(await find('Product 00011 by key'));
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
    await done(page);
  });
});

describe('a selection', { skip }, () => {
  const bar = (page: Page) => page.getByRole('region', { name: 'Selection' });
  const selectAll = async (page: Page) => {
    await page.getByLabel('Select all that are loaded').check();
    await page.getByRole('button', { name: 'Select all that match' }).click();
    await bar(page).getByText('All that match are selected').waitFor();
  };
  const query = async (page: Page, text: string) => {
    await page.getByRole('button', { name: 'Edit as an API query' }).click();
    await page.getByLabel("The API's query").fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit as an API query' }).click();
  };

  it('ends with its query: by the way back and forth', async () => {
    const page = await start();
    await query(page, 'price>=20');
    await page.getByText('10 records').waitFor();
    await selectAll(page);
    await page.goBack();
    await page.getByText('30 records').waitFor();
    assert.equal(await bar(page).count(), 0);
    await page.goForward();
    await page.getByText('10 records').waitFor();
    assert.equal(await bar(page).count(), 0);
    await done(page);
  });

  it('ends with its query: by a view, a link and another viewer; a record that is opened leaves it', async () => {
    const page = await start();
    await query(page, 'price>=20');
    await page.getByText('10 records').waitFor();
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Dear');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await query(page, '');
    await page.getByText('30 records').waitFor();
    await selectAll(page);
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Dear' }).click();
    await page.getByText('10 records').waitFor();
    assert.equal(await bar(page).count(), 0);
    await selectAll(page);
    await cell(page, 'Product 00025').click();
    await panel(page).getByRole('heading', { name: 'Product 00025' }).waitFor();
    assert.equal(await bar(page).count(), 1);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Products' }).click();
    await page.getByText('30 records').waitFor();
    assert.equal(await bar(page).count(), 0);
    await selectAll(page);
    await viewAsNobody(page);
    assert.equal(await bar(page).count(), 0);
    await done(page);
  });

  it('is not changed by a slip of the hand, and what is read for it can be stopped', async () => {
    const page = await start('?price<10');
    await selectAll(page);
    await bar(page).getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit all records that match' });
    await dialog.getByLabel('Change inStock').check();
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByLabel('Change price').check();
    await dialog.getByRole('textbox', { name: 'price' }).fill('-1');
    await dialog.getByRole('button', { name: 'Change 2 fields' }).click();
    await dialog.getByText('price: must be at least 0', { exact: true }).waitFor();
    await dialog.getByLabel('Change price').uncheck(); // it is put right where it was typed
    const asked = page.waitForRequest(/perPage=1000/);
    await intercept(page, /perPage=1000/, () => {}); // never answered
    await dialog.getByRole('button', { name: 'Change 1 field' }).click();
    await asked;
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByText('Nothing was changed').waitFor();
    await done(page);
  });

  it('says once what is wrong for all of more records than the server lists faults for', async () => {
    assert.ok(world);
    await makeShop(world, 'large', 120);
    const page = await world.at('/large/products');
    await cell(page, 'Product 00000').waitFor();
    await selectAll(page);
    await bar(page).getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit all records that match' });
    await dialog.getByLabel('Change price').check();
    await dialog.getByRole('textbox', { name: 'price' }).fill('-1');
    await dialog.getByRole('button', { name: 'Change 1 field' }).click();
    await dialog.getByText('price: must be at least 0', { exact: true }).waitFor({ timeout: 10_000 });
    await done(page);
  });

  it('takes the question about it along when it ends, but not what is under way', async () => {
    const page = await start();
    await query(page, 'price>=20');
    await page.getByText('10 records').waitFor();
    await selectAll(page);
    await bar(page).getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete all records that match?' });
    await question.waitFor();
    await page.goBack();
    await page.getByText('30 records').waitFor();
    await question.waitFor({ state: 'detached' });
    await page.goForward();
    await page.getByText('10 records').waitFor();
    await selectAll(page);
    await bar(page).getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit all records that match' });
    await dialog.getByLabel('Change inStock').check();
    await dialog.getByRole('combobox', { name: 'inStock' }).selectOption('true');
    let release = () => {};
    const free = new Promise<void>((resolve) => {
      release = resolve;
    });
    await intercept(page, /products\/batch/, async (route) => {
      await free;
      await route.continue();
    });
    const sent = page.waitForRequest(/products\/batch/);
    await dialog.getByRole('button', { name: 'Change 1 field' }).click();
    await sent;
    await page.goBack();
    await page.getByText('30 records').waitFor();
    release();
    await dialog.getByText('Done: 10 records').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
    await done(page);
  });
});

describe("the API's own query", { skip }, () => {
  const edit = async () => {
    const page = await start();
    await page.getByRole('button', { name: 'Edit as an API query' }).click();
    const box = page.getByLabel("The API's query");
    const apply = async (text: string) => {
      await box.fill(text);
      await page.keyboard.press('Enter');
    };
    return { page, box, apply };
  };
  const heads = (page: Page) => page.getByRole('columnheader');

  it('names the columns that are shown, as it names the fields of an answer', async () => {
    const { page, box, apply } = await edit();
    const usual = await heads(page).count();
    await apply('price>=20&sort=-price&fields=title,price');
    await page.getByText('10 records').waitFor();
    assert.equal(await box.inputValue(), 'price>=20&sort=-price&fields=title,price');
    for (const name of ['title', 'price']) await heads(page).filter({ hasText: name }).waitFor();
    assert.equal(await heads(page).filter({ hasText: 'tags' }).count(), 0);
    await page.getByRole('link', { name: 'API' }).click();
    assert.equal(await page.getByLabel('Query').inputValue(), 'price>=20&sort=-price&fields=title,price');
    await page.goBack();
    await page.getByText('10 records').waitFor();
    assert.equal(await heads(page).filter({ hasText: 'tags' }).count(), 0);
    await page.getByRole('button', { name: 'Edit as an API query' }).click();
    await apply('');
    await page.getByText('30 records').waitFor();
    assert.equal(await heads(page).count(), usual);
    await done(page);
  });

  it('is told what the list does by itself, and which column there is not', async () => {
    const { page, box, apply } = await edit();
    const told = page.getByRole('alert');
    await apply('page=2&perPage=5&price>=20');
    await told.getByText('page, perPage: leave out, as the list loads more when you scroll').waitFor();
    await apply('include=brand&fields=title,prise');
    await told.getByText(/^include: leave out, .*; fields: there is no field 'prise'$/).waitFor();
    assert.equal(await box.inputValue(), 'include=brand&fields=title,prise');
    await page.getByText('30 records').waitFor(); // still those of before
    await apply('price>=20');
    await page.getByText('10 records').waitFor();
    assert.equal(await told.count(), 0);
    await done(page);
  });
});

/** Types letter by letter, and returns the most milliseconds between two of them. */
const typeInto = (box: Locator, text: string) =>
  box.evaluate(async (_, letters) => {
    let [longest, last] = [0, performance.now()];
    for (const letter of letters) {
      document.execCommand('insertText', false, letter);
      await new Promise((resolve) => setTimeout(resolve, 20));
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }
    return longest;
  }, text);

/**
 * Types into the search of a new page, and more once that is searched for. Anew where a busy machine paused between two letters: then
 * what was there is rightly searched for, and a step on the way back.
 */
async function typeTwice(first: string, second: string) {
  for (let tries = 0; tries < 6; tries++) {
    const page = await start();
    const box = page.getByRole('searchbox', { name: 'Search' });
    await page.keyboard.press('/');
    const pauses = [await typeInto(box, first)];
    await page.waitForURL((url) => url.searchParams.get('search') === first);
    pauses.push(await typeInto(box, second));
    if (Math.max(...pauses) < 300) return { page, box };
    await done(page);
  }
  return assert.fail('the machine paused between two letters each time');
}

describe('the search of a list', { skip }, () => {
  it('keeps the focus and what is typed while it finds', async () => {
    const { page, box } = await typeTwice('product', ' 00012');
    const isFocused = () => box.evaluate((element) => element === document.activeElement);
    await page.getByText('1 record', { exact: true }).waitFor();
    assert.equal(await box.inputValue(), 'product 00012');
    assert.ok(await isFocused());
    await page.goBack();
    await page.getByText('30 records').waitFor();
    assert.equal(await box.inputValue(), 'product');
    await page.goForward();
    await page.getByText('1 record', { exact: true }).waitFor();
    assert.equal(await box.inputValue(), 'product 00012');
    await done(page);
  });

  it('does not bring back a filter that was taken away while it was typed', async () => {
    const page = await start('?price<20');
    await page.getByText('20 records').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('product');
    await page.getByRole('button', { name: /^Remove filter/ }).click();
    await page.waitForURL(/search=product$/);
    await page.getByText('30 records').waitFor();
    assert.doesNotMatch(page.url(), /price/);
    await done(page);
  });
});

describe('the names of related records', { skip }, () => {
  it('are those of now when one was renamed here', async () => {
    assert.ok(world);
    const page = await start('?price=0');
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    const to = (name: string) =>
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
    await link('Fjord').waitFor();
    await to('Brands');
    await cell(page, 'Fjord').click();
    await panel(page).getByRole('heading', { name: 'Fjord' }).waitFor();
    await panel(page).getByRole('textbox', { name: 'name' }).focus();
    await page.keyboard.press('End');
    await page.keyboard.type(' Ltd');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved Fjord Ltd').waitFor();
    await to('Products');
    await link('Fjord Ltd').first().waitFor();
    assert.equal(await link('Fjord').count(), 0);
    await done(page);
  });

  it('are asked for again after a while', async () => {
    const page = await start();
    const link = (name: string) => page.getByRole('link', { name, exact: true }).first();
    await link('Sakura').waitFor();
    const { found } = await collection('brands').list({ where: { name: 'Sakura' } });
    await collection('brands').update(found[0]?._id ?? '', { name: 'Sakura KK' });
    await page.clock.install();
    await page.clock.fastForward('02:00');
    await page.getByRole('button', { name: 'Reload' }).click();
    await link('Sakura KK').waitFor();
    await done(page);
  });
});
