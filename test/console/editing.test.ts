import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithout } from '../browser.ts';
import { intercept } from '../intercept.ts';
import { box, cell, panel } from './parts.ts';
import { done, makeShop, startConsole } from './world.ts';

const world = await startConsole();
const skip = skipWithout(world?.browser);
const heading = (page: Page, name: string) => panel(page).getByRole('heading', { name, exact: true });

before(async () => {
  if (world) await makeShop(world, 'shop', 40);
});
after(() => world?.close());

const products = () => {
  assert.ok(world);
  return world.admin.records('shop').collection('products');
};
const find = async (title: string) => (await products().list({ where: { title } })).found[0];
const start = async (query = '') => {
  assert.ok(world);
  const page = await world.at(`/shop/products${query}`);
  await cell(page, 'Product 00000').waitFor();
  return page;
};
/** Opens a record from the list. */
const open = async (page: Page, title: string) => {
  await cell(page, title).click();
  await heading(page, title).waitFor();
};
/** Types at the end of a box, key by key. */
const type = async (page: Page, name: string, text: string) => {
  await box(page, name).focus();
  await page.keyboard.press('End');
  await page.keyboard.type(text);
};

/** Requests with this method wait until they are let through; resolves when the first has come. */
async function hold(page: Page, method: string) {
  let release = () => {};
  const free = new Promise<void>((resolve) => {
    release = resolve;
  });
  let note = () => {};
  const held = new Promise<void>((resolve) => {
    note = resolve;
  });
  await intercept(page, /\/v1\/shop\/products/, async (route) => {
    if (route.request().method() === method) {
      note();
      await free;
    }
    await route.continue();
  });
  return { held, release };
}

describe('what is typed while a save is under way', { skip }, () => {
  it('stays, and is a change of what was saved', async () => {
    const page = await start();
    await open(page, 'Product 00001');
    await type(page, 'title', ' saved');
    const { held, release } = await hold(page, 'PATCH');
    await page.keyboard.press('Control+s');
    await held;
    await page.keyboard.type(' and more');
    await type(page, 'price', '5');
    release();
    await page.getByText('Saved Product 00001 saved', { exact: true }).waitFor();
    await panel(page).getByText('2 unsaved changes').waitFor();
    assert.equal(await box(page, 'title').inputValue(), 'Product 00001 saved and more');
    assert.equal(await box(page, 'price').inputValue(), '15');
    assert.equal((await find('Product 00001 saved'))?.price, 1, 'what was sent is saved');
    await page.reload();
    await panel(page).getByText('2 unsaved changes').waitFor();
    await page.keyboard.press('Tab');
    await box(page, 'title').focus();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved Product 00001 saved and more').waitFor();
    assert.equal((await find('Product 00001 saved and more'))?.price, 15, 'without a conflict with itself');
    await done(page);
  });

  it('stays also where it takes back what was sent', async () => {
    const page = await start();
    await open(page, 'Product 00002');
    await type(page, 'title', 'x');
    const { held, release } = await hold(page, 'PATCH');
    await page.keyboard.press('Control+s');
    await held;
    await page.keyboard.press('Backspace');
    release();
    await page.getByText('Saved Product 00002x').waitFor();
    await panel(page).getByText('1 unsaved change').waitFor();
    assert.equal(await box(page, 'title').inputValue(), 'Product 00002');
    await done(page);
  });

  it('into a record that is being created becomes a change of it', async () => {
    const page = await start();
    await page.getByRole('button', { name: 'New record' }).click();
    await type(page, 'title', 'Made slowly');
    const { held, release } = await hold(page, 'POST');
    await page.keyboard.press('Control+s');
    await held;
    await type(page, 'price', '77');
    release();
    await page.getByText('Created Made slowly').waitFor();
    await heading(page, 'Made slowly').waitFor();
    await panel(page).getByText('1 unsaved change').waitFor();
    assert.equal(await box(page, 'price').inputValue(), '77');
    await page.getByRole('button', { name: 'New record' }).click();
    await heading(page, 'New record').waitFor();
    assert.equal(await box(page, 'title').inputValue(), '', 'nothing of it is left for the next one');
    await done(page);
  });

  it('in the list stays in its draft', async () => {
    const page = await start();
    await page.getByRole('button', { name: 'Edit in the list' }).click();
    const edit = async (from: string, to: string) => {
      await cell(page, from).click();
      await page.keyboard.type(to);
      await page.keyboard.press('Enter');
    };
    await edit('Product 00003', 'Third');
    const { held, release } = await hold(page, 'POST');
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    await bar.getByRole('button', { name: 'Save all' }).click();
    await held;
    await edit('Third', 'Third of all');
    release();
    await page.getByText('Saved 1 record', { exact: true }).waitFor();
    await cell(page, 'Third of all').waitFor();
    await bar.getByText('1 record has unsaved changes').waitFor();
    await bar.getByRole('button', { name: 'Save all' }).click();
    await bar.waitFor({ state: 'detached' });
    assert.ok(await find('Third of all'));
    await done(page);
  });

  it('in a cell of the list that was opened by then is a change of what was saved', async () => {
    const page = await start();
    await page.getByRole('button', { name: 'Edit in the list' }).click();
    await cell(page, 'Product 00010').click();
    await page.keyboard.type('Tenth');
    await page.keyboard.press('Enter');
    const { held, release } = await hold(page, 'POST');
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    await bar.getByRole('button', { name: 'Save all' }).click();
    await held;
    await cell(page, 'Tenth').click();
    await page.keyboard.type('Tenth of all');
    release();
    await page.getByText('Saved 1 record', { exact: true }).waitFor();
    await bar.waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await bar.getByRole('button', { name: 'Save all' }).click();
    await bar.waitFor({ state: 'detached' });
    assert.ok(await find('Tenth of all'), 'without a conflict with itself');
    await done(page);
  });
});

describe('the undo of a creation', { skip }, () => {
  it('leaves nothing of what was typed into the record since', async () => {
    const page = await start();
    await page.getByRole('button', { name: 'New record' }).click();
    await type(page, 'title', 'Soon gone');
    await page.keyboard.press('Control+s');
    await heading(page, 'Soon gone').waitFor();
    await type(page, 'price', '3');
    await panel(page).getByText('1 unsaved change').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone: Created Soon gone').waitFor();
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await panel(page).waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('region', { name: 'Unsaved changes' }).count(), 0);
    await done(page);
  });
});

describe('the undo of a save', { skip }, () => {
  it('leaves what was typed since', async () => {
    const page = await start();
    await open(page, 'Product 00004');
    await type(page, 'title', ' b');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved Product 00004 b').waitFor();
    await type(page, 'price', '4');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone: Saved Product 00004 b').waitFor();
    await panel(page).getByText('1 unsaved change').waitFor();
    assert.equal(await box(page, 'title').inputValue(), 'Product 00004');
    assert.equal(await box(page, 'price').inputValue(), '44');
    await box(page, 'price').press('Control+s');
    await page.getByText('Saved Product 00004', { exact: true }).waitFor();
    assert.equal((await find('Product 00004'))?.price, 44);
    await done(page);
  });

  it('reaches a panel that was opened anew', async () => {
    const page = await start();
    await open(page, 'Product 00005');
    await type(page, 'title', ' b');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved Product 00005 b').waitFor();
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await open(page, 'Product 00005 b');
    await type(page, 'price', '5');
    await page.getByRole('button', { name: 'Undo' }).click();
    await heading(page, 'Product 00005').waitFor();
    assert.equal(await box(page, 'price').inputValue(), '55');
    await done(page);
  });

  it('reaches the JSON, and no key brings back what was undone', async () => {
    const page = await start();
    await open(page, 'Product 00009');
    await panel(page).getByRole('tab', { name: 'JSON' }).click();
    const line = (text: string) => panel(page).getByText(text, { exact: true });
    const typeAfter = async (text: string, before: string, typed: string) => {
      await line(text).click();
      await page.keyboard.press('Home');
      for (let n = 0; n < before.length; n += 1) await page.keyboard.press('ArrowRight');
      await page.keyboard.type(typed);
    };
    await typeAfter('"title": "Product 00009",', '"title": "', 'My ');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved My Product 00009').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await line('"title": "Product 00009",').waitFor();
    await typeAfter('"price": 9,', '"price": ', '9');
    await panel(page).getByText('1 unsaved change').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved Product 00009', { exact: true }).waitFor();
    assert.equal((await find('Product 00009'))?.price, 99);
    await done(page);
  });
});

describe('a field that was cleared', { skip }, () => {
  const clearBrand = async (page: Page) => {
    await panel(page).getByRole('combobox', { name: 'brand' }).focus();
    await page.keyboard.press('Backspace');
    await panel(page).getByText('1 unsaved change').waitFor();
  };

  it('is cleared in the JSON too', async () => {
    const page = await start();
    await open(page, 'Product 00006');
    await clearBrand(page);
    await panel(page).getByRole('tab', { name: 'JSON' }).click();
    await panel(page).getByText('"price": 6').click();
    await page.keyboard.press('Home');
    for (let n = 0; n < '"price": '.length; n += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.type('6');
    await panel(page).getByText('2 unsaved changes').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved Product 00006').waitFor();
    const saved = await find('Product 00006');
    assert.deepEqual([saved?.brand, saved?.price], [null, 66]);
    await done(page);
  });

  it('is not copied with the record, and a copy asks before it takes the place of what was begun', async () => {
    const page = await start();
    await page.getByRole('button', { name: 'New record' }).click();
    await type(page, 'title', 'Half of a new one');
    await open(page, 'Product 00007');
    await clearBrand(page);
    const duplicate = async () => {
      await panel(page).getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    };
    await duplicate();
    const dialog = page.getByRole('dialog', { name: 'Discard the new record?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await heading(page, 'Product 00007').waitFor();
    await duplicate();
    await dialog.getByRole('button', { name: 'Discard it' }).click();
    await heading(page, 'New record').waitFor();
    assert.equal(await box(page, 'title').inputValue(), 'Product 00007');
    assert.equal(
      await panel(page)
        .getByRole('link', { name: /Fjord|Sakura|Moskva/ })
        .count(),
      0,
    );
    await panel(page).getByRole('button', { name: 'Discard' }).click();
    await done(page);
  });

  it('and a change that is discarded leave the JSON', async () => {
    const page = await start();
    await open(page, 'Product 00008');
    await type(page, 'title', ' typed');
    await panel(page).getByRole('tab', { name: 'JSON' }).click();
    await panel(page).getByText('"title": "Product 00008 typed"').waitFor();
    await panel(page).getByRole('button', { name: 'Discard' }).click();
    await panel(page).getByText('"title": "Product 00008"').waitFor();
    await panel(page).getByText('"price": 8').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' ');
    await panel(page).getByText('"price": 8').click();
    await page.keyboard.press('Home');
    for (let n = 0; n < '"price": '.length; n += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.type('8');
    await panel(page).getByText('1 unsaved change').waitFor();
    await done(page);
  });
});

describe('the note of a draft from before', { skip }, () => {
  it('goes with that draft: what is typed since is another', async () => {
    const page = await start();
    const note = panel(page).getByText('Your draft from');
    for (const end of ['Discard', 'Save']) {
      await open(page, 'Product 00018');
      await box(page, 'price').fill('41');
      await page.reload();
      await note.waitFor();
      await box(page, 'price').fill('42');
      assert.equal(await note.count(), 1, 'it goes on');
      await panel(page).getByRole('button', { name: end, exact: true }).click();
      await panel(page).getByText('Saved', { exact: true }).waitFor();
      await box(page, 'price').fill('43');
      await panel(page).getByText('1 unsaved change').waitFor();
      assert.equal(await note.count(), 0, end);
      await panel(page).getByRole('button', { name: 'Discard' }).click();
      await panel(page).getByRole('button', { name: 'Close' }).click();
    }
    await done(page);
  });
});

describe('what was discarded', { skip }, () => {
  it('comes back in the record, in its JSON and in the list, below what was typed since', async () => {
    const page = await start();
    const undo = () => page.getByRole('button', { name: 'Undo' }).last().click();
    await open(page, 'Product 00012');
    await type(page, 'title', ' typed');
    await box(page, 'price').fill('31');
    await panel(page).getByRole('button', { name: 'Discard' }).click();
    await panel(page).getByText('Saved', { exact: true }).waitFor();
    await box(page, 'price').fill('32');
    await undo();
    await panel(page).getByText('2 unsaved changes').waitFor();
    assert.equal(await box(page, 'title').inputValue(), 'Product 00012 typed');
    assert.equal(await box(page, 'price').inputValue(), '32');
    await panel(page).getByRole('tab', { name: 'JSON' }).click();
    await panel(page).getByText('"price": 32').click();
    await page.keyboard.type('{');
    await panel(page).getByRole('button', { name: 'Discard' }).click();
    await panel(page).getByRole('tab', { name: 'Form' }).click();
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await undo();
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    await bar.getByRole('button', { name: 'Discard all' }).click();
    await bar.waitFor({ state: 'detached' });
    await undo();
    await bar.getByText('1 record has unsaved changes').waitFor();
    await cell(page, 'Product 00012 typed').click();
    await panel(page).getByText("The JSON can't be read yet").waitFor();
    await panel(page).getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.getByRole('button', { name: "Administrator's key" }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    await done(page);
  });
});

describe('JSON that was discarded half typed', { skip }, () => {
  it('stays on the screen once it comes back and can be read', async () => {
    const page = await start();
    await open(page, 'Product 00013');
    const tab = (name: string) => panel(page).getByRole('tab', { name });
    await tab('JSON').click();
    await panel(page).getByText('"price": 13').click();
    await page.keyboard.press('Home');
    await page.keyboard.type('{');
    await panel(page).getByText("The JSON can't be read yet").first().waitFor();
    await panel(page).getByRole('button', { name: 'Discard' }).click();
    await tab('Form').click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await panel(page).getByText('{"price": 13').click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Delete');
    await panel(page).getByText('Saved', { exact: true }).waitFor();
    assert.equal(await tab('JSON').getAttribute('aria-selected'), 'true');
    assert.equal(await panel(page).getByText('"price": 13').count(), 1);
    await done(page);
  });
});

describe('Ctrl+S', { skip }, () => {
  it('saves also a token that is still in its box, of a record that is there or new', async () => {
    const page = await start();
    await open(page, 'Product 00020');
    await panel(page).getByLabel('tags').click();
    await page.keyboard.type('half');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved Product 00020').waitFor();
    assert.deepEqual((await find('Product 00020'))?.tags, ['even', 'half']);
    await panel(page).getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'New record' }).click();
    await heading(page, 'New record').waitFor();
    await type(page, 'title', 'With a token');
    await panel(page).getByLabel('tags').click();
    await page.keyboard.type('first');
    await page.keyboard.press('Control+s');
    await page.getByText('Created With a token').waitFor();
    assert.deepEqual((await find('With a token'))?.tags, ['first']);
    await done(page);
  });

  it('saves wherever the focus is, and on a keyboard with other letters', async () => {
    const page = await start();
    await open(page, 'Product 00021');
    await type(page, 'title', ' anew');
    await heading(page, 'Product 00021 anew').click();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved Product 00021 anew').waitFor();
    await type(page, 'title', ' again');
    await box(page, 'title').evaluate((element) => {
      const key = { key: 'ы', code: 'KeyS', ctrlKey: true, bubbles: true, cancelable: true };
      element.dispatchEvent(new KeyboardEvent('keydown', key));
    });
    await page.getByText('Saved Product 00021 anew again').waitFor();
    await done(page);
  });

  it('twice, before the page has come to answer, creates one record', async () => {
    const page = await start();
    await page.getByRole('button', { name: 'New record' }).click();
    await heading(page, 'New record').waitFor();
    await type(page, 'title', 'Made once');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.method()));
    await box(page, 'title').evaluate((element) => {
      const key = { key: 's', ctrlKey: true, bubbles: true, cancelable: true };
      for (let n = 0; n < 2; n += 1) element.dispatchEvent(new KeyboardEvent('keydown', key));
    });
    await heading(page, 'Made once').waitFor();
    assert.equal(sent.filter((method) => method === 'POST').length, 1);
    await done(page);
  });

  it('saves all changes also where they are reviewed', async () => {
    const page = await start();
    await page.getByRole('button', { name: 'Edit in the list' }).click();
    await cell(page, 'Product 00025').click();
    await page.keyboard.type('Reviewed');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('dialog', { name: 'Unsaved changes' }).waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved 1 record', { exact: true }).waitFor();
    assert.ok(await find('Reviewed'));
    await done(page);
  });

  it('in a cell saves the changes of the list, not the record that is open beside it', async () => {
    const page = await start();
    await page.getByRole('button', { name: 'Edit in the list' }).click();
    await page.getByRole('button', { name: 'New record' }).click();
    await heading(page, 'New record').waitFor();
    await cell(page, 'Product 00022').click();
    await page.keyboard.type('From its cell');
    await page.keyboard.press('Control+s');
    const saved = page.getByText('Saved 1 record', { exact: true });
    await saved.waitFor();
    assert.ok(await find('From its cell'));
    await saved.waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Search' }).press('Control+s');
    await cell(page, 'Product 00023').click();
    await page.keyboard.type('From its cell too');
    await page.keyboard.press('Control+s');
    await saved.waitFor();
    assert.ok(await find('From its cell too'));
    await heading(page, 'New record').waitFor();
    assert.equal(await panel(page).locator('[aria-invalid=true]').count(), 0, 'nobody tried to create it');
    await done(page);
  });
});

describe('Ctrl+S in a list without changes whose cells are edited', { skip }, () => {
  it('saves the record that is open beside it', async () => {
    const page = await start();
    await page.getByRole('button', { name: 'Edit in the list' }).click();
    await page.getByRole('button', { name: 'New record' }).click();
    await heading(page, 'New record').waitFor();
    await box(page, 'title').fill('Made from the list');
    await box(page, 'price').fill('3');
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+s');
    await heading(page, 'Made from the list').waitFor();
    await done(page);
  });
});

describe('the review of unsaved changes', { skip }, () => {
  it('is over once it is left by the way back', async () => {
    const page = await start();
    await page.getByRole('button', { name: 'Edit in the list' }).click();
    await page.getByRole('button', { name: 'New record' }).click();
    await heading(page, 'New record').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await cell(page, 'Product 00026').click();
    await page.keyboard.type('Left alone');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Review' }).click();
    const review = page.getByRole('dialog', { name: 'Unsaved changes' });
    await review.waitFor();
    await page.goBack();
    await heading(page, 'New record').waitFor();
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Discard all' }).waitFor();
    assert.equal(await review.count(), 0);
    await done(page);
  });
});

describe('keys that a keyboard for Japanese or Chinese takes', { skip }, () => {
  it('end nothing while a word is composed', async () => {
    const page = await start();
    await open(page, 'Product 00015');
    const press = (name: string, key: string) =>
      panel(page)
        .getByLabel(name)
        .evaluate((element, pressed) => {
          const event = { key: pressed, bubbles: true, cancelable: true };
          // Safari sends the key that ends a word after the word has ended, and marks it otherwise.
          for (const composing of [{ isComposing: true }, { keyCode: 229 }])
            element.dispatchEvent(new KeyboardEvent('keydown', { ...event, ...composing }));
        }, key);
    await panel(page).getByLabel('tags').fill('にほ');
    await press('tags', 'Enter');
    assert.equal(await panel(page).getByLabel('tags').inputValue(), 'にほ');
    await panel(page).getByLabel('brand').click();
    await panel(page)
      .getByRole('option', { name: /Moskva/ })
      .waitFor();
    await press('brand', 'Enter');
    await press('title', 'Escape');
    await heading(page, 'Product 00015').waitFor();
    await panel(page).getByText('1 unsaved change', { exact: true }).waitFor();
    await done(page);
  });
});

describe('JSON that is half typed', { skip }, () => {
  it('is neither saved as what it was before, nor lost in the form', async () => {
    const page = await start();
    await open(page, 'Product 00016');
    await panel(page).getByRole('tab', { name: 'JSON' }).click();
    await panel(page).getByRole('textbox', { name: 'The record as JSON' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{"title": "Once", "price": 1}');
    await panel(page).getByRole('button', { name: 'Save' }).and(page.locator(':enabled')).waitFor();
    for (let n = 0; n < '"price": 1}'.length; n += 1) await page.keyboard.press('Backspace');
    await page.keyboard.type('"title": "Twice"}');
    await panel(page).getByRole('alert').getByText("'title' is there twice: keep one of them.").waitFor();
    const save = panel(page).getByRole('button', { name: 'Save' });
    assert.ok(await save.isDisabled());
    assert.ok(await panel(page).getByRole('tab', { name: 'Form' }).isDisabled());
    await page.keyboard.press('Control+s');
    await panel(page).getByText("The JSON can't be read yet").waitFor();
    await panel(page).getByRole('button', { name: 'Discard' }).click();
    await panel(page).getByText('"title": "Product 00016"').waitFor();
    await panel(page).getByRole('tab', { name: 'Form' }).click();
    assert.equal(await box(page, 'title').inputValue(), 'Product 00016');
    assert.equal((await find('Product 00016'))?.price, 16);
    await done(page);
  });

  it('is kept as it is when the record is left, and not saved with all others', async () => {
    const page = await start();
    await open(page, 'Product 00024');
    await panel(page).getByRole('tab', { name: 'JSON' }).click();
    await panel(page).getByText('"price": 24,').click();
    await page.keyboard.press('End');
    for (let n = 0; n < '4,'.length; n += 1) await page.keyboard.press('Backspace');
    await page.keyboard.type(',');
    await panel(page).getByText('1 unsaved change', { exact: true }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Backspace');
    await panel(page).getByText("The JSON can't be read yet").waitFor();
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    await bar.getByRole('button', { name: 'Review' }).click();
    const review = page.getByRole('dialog', { name: 'Unsaved changes' });
    await review.getByRole('row', { name: "Product 00024 The JSON can't be read yet" }).waitFor();
    await review.getByRole('button', { name: 'Save all' }).click();
    await panel(page).getByText("The JSON can't be read yet").waitFor();
    await page.getByRole('button', { name: 'Edit in the list' }).click();
    await panel(page).waitFor({ state: 'detached' });
    await cell(page, 'Product 00024').click();
    await panel(page).getByText("The JSON can't be read yet").waitFor();
    await page.reload();
    await panel(page).getByText('"price": ,', { exact: true }).click();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('25');
    await panel(page).getByText('1 unsaved change', { exact: true }).waitFor();
    assert.equal((await find('Product 00024'))?.price, 24);
    await page.keyboard.press('Control+s');
    await page.getByText('Saved Product 00024', { exact: true }).waitFor();
    assert.equal((await find('Product 00024'))?.price, 25);
    await done(page);
  });
});

describe('JSON that is half typed while it is saved', { skip }, () => {
  it('goes when the version of somebody else is taken', async () => {
    const page = await start();
    await open(page, 'Product 00027');
    await products().update((await find('Product 00027'))?._id ?? '', { price: 270 });
    await panel(page).getByRole('tab', { name: 'JSON' }).click();
    await panel(page).getByText('"price": 27,').click();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('1');
    const { held, release } = await hold(page, 'PATCH');
    await page.keyboard.press('Control+s');
    await held;
    await page.keyboard.type(',');
    await panel(page).getByText("The JSON can't be read yet").waitFor();
    release();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard mine' }).click();
    await panel(page).getByText('"price": 270,').waitFor();
    await panel(page).getByText("The JSON can't be read yet").waitFor({ state: 'detached' });
    await panel(page).getByRole('tab', { name: 'Form' }).click();
    assert.equal(await box(page, 'price').inputValue(), '270');
    await done(page);
  });
});

describe('a save that meets the version of somebody else', { skip }, () => {
  it("says why that can't be shown, and not that the record is gone", async () => {
    const page = await start();
    await open(page, 'Product 00011');
    const id = (await find('Product 00011'))?._id ?? '';
    await products().update(id, { price: 110 });
    await type(page, 'title', ' mine');
    const broken = { status: 500, json: { ok: false, error: 'Something went wrong' } };
    await intercept(page, `**/v1/shop/products/${id}`, (route) =>
      route.request().method() === 'GET' ? route.fulfill(broken) : route.continue(),
    );
    await page.keyboard.press('Control+s');
    await panel(page).getByText('Something went wrong').waitFor();
    await done(page);
  });
});

describe('what was typed into a record that somebody else deleted', { skip }, () => {
  it('can be taken along and discarded, and the others saved', async () => {
    const page = await start();
    await page.getByRole('button', { name: 'Edit in the list' }).click();
    for (const title of ['Product 00017', 'Product 00018']) {
      await cell(page, title).click();
      await page.keyboard.type(`${title} edited`);
      await page.keyboard.press('Enter');
    }
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    await bar.getByText('2 records have unsaved changes').waitFor();
    await products().delete((await find('Product 00017'))?._id ?? '');
    await bar.getByRole('button', { name: 'Save all' }).click();
    await panel(page).getByText('This record no longer exists.').waitFor();
    const typed = panel(page).getByRole('region', { name: 'Your changes' });
    await typed.getByText('"title": "Product 00017 edited"').waitFor();
    await panel(page).getByRole('button', { name: 'Discard' }).click();
    await bar.getByText('1 record has unsaved changes').waitFor();
    await bar.getByRole('button', { name: 'Save all' }).click();
    await page.getByText('Saved 1 record').waitFor();
    assert.ok(await find('Product 00018 edited'));
    await done(page);
  });
});
