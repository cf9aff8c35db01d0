import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Definition } from '../../client/admin.ts';
import { proposeId } from '../../console/model/propose-id.ts';
import { skipWithout } from '../browser.ts';
import { intercept } from '../intercept.ts';
import { done, startConsole } from './world.ts';

const world = await startConsole();
const skip = skipWithout(world?.browser);
before(() => world?.admin.projects.create({ id: 'shop', name: 'The shop' }));
after(() => world?.close());

/** Each test has a collection of its own. */
let count = 0;
let id = '';
const text = { type: 'text' };
beforeEach(async () => {
  count += 1;
  id = `things${count}`;
  const fields = { title: text, name: text, price: { type: 'number' } };
  await world?.admin.project('shop').collections.create({ id, name: `Things ${count}`, fields });
});

const collections = () => {
  assert.ok(world);
  return world.admin.project('shop').collections;
};
const now = (): Promise<Definition> => collections().view(id);
const fieldNames = async () => Object.keys((await now()).fields ?? {});
const card = (page: Page, name: string) => page.getByRole('region', { name: `Field ${name}`, exact: true });
const nameOf = (page: Page, name: string) => card(page, name).getByLabel('Name', { exact: true });
const review = (page: Page) => page.getByRole('button', { name: 'Review changes' });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function save(page: Page): Promise<void> {
  await review(page).click();
  await press(page, 'Apply');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

it('a proposed id is the name in plain letters', () => {
  assert.equal(proposeId('My Shöp & Co'), 'my-shop-co');
  assert.equal(proposeId('  2nd Crème brûlée! '), 'nd-creme-brulee');
  assert.equal(proposeId(`${'a'.repeat(62)} b`), 'a'.repeat(62));
});

describe('whoever edits a definition', { skip }, () => {
  it('reviews the changes with Ctrl+S too, from the form and from the JSON', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_definition`);
    await nameOf(page, 'price').fill('cost');
    await page.keyboard.press('Control+s');
    await press(page, 'Apply');
    await page.getByText('No changes').waitFor();
    await page.getByLabel('The definition as JSON').getByText('"cost"').click();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+s'); // nothing to review
    await nameOf(page, 'cost').fill('fee');
    await page.getByLabel('The definition as JSON').getByText('"fee"').click();
    await page.keyboard.press('Control+s');
    await press(page, 'Apply');
    await page.getByText('No changes').waitFor();
    assert.deepEqual(await fieldNames(), ['title', 'name', 'fee']);
    await done(page);
  });

  it('goes on with what was saved, and the next change leaves the first as it is', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_definition`);
    await nameOf(page, 'price').fill('cost');
    await press(page, 'Add field');
    await nameOf(page, 'field4').fill('size');
    await save(page);
    await page.getByText('No changes').waitFor();
    await page.getByText('renamed from price').waitFor({ state: 'detached' });
    assert.equal(await page.getByText('new', { exact: true }).count(), 0);
    assert.ok(await review(page).isDisabled());
    await nameOf(page, 'size').fill('weight');
    await page.getByText('renamed from size').waitFor();
    await save(page);
    assert.deepEqual(await fieldNames(), ['title', 'name', 'cost', 'weight']);
    await page.reload();
    await page.getByText('No changes').waitFor();
    await done(page);
  });

  it('keeps what is typed while the plan is on its way, and does what the plan says', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_definition`);
    await nameOf(page, 'price').fill('cost');
    const here = Promise.withResolvers<void>();
    await intercept(page, '**/*dryRun*', (route) => here.promise.then(() => route.continue()));
    await review(page).click();
    await nameOf(page, 'cost').fill('sum');
    here.resolve();
    await page.getByRole('dialog').getByText('price is renamed to cost').waitFor();
    await press(page, 'Apply');
    await page.getByText('renamed from cost').waitFor();
    assert.deepEqual(await fieldNames(), ['title', 'name', 'cost']);
    await page.reload();
    await page.getByText('renamed from cost').waitFor();
    await page.unrouteAll();
    await save(page);
    await page.getByText('No changes').waitFor();
    assert.deepEqual(await fieldNames(), ['title', 'name', 'sum']);
    await done(page);
  });

  it('sees what somebody else changed meanwhile, where nothing is typed', async () => {
    assert.ok(world);
    const page = await world.open();
    await page.clock.install();
    await world.go(page, `/shop/${id}/_definition`);
    await card(page, 'price').waitFor();
    await collections().change(id, { id, fields: { title: text, extra: text } }, { confirm: 'destructive' });
    await page.clock.fastForward(60_000); // what was read is no longer good
    await page.keyboard.press('Control+k'); // asks for the collections anew
    await card(page, 'extra').waitFor();
    await page.getByText('No changes').waitFor();
    await done(page);
  });

  it('leaves who may do what as somebody else chose meanwhile, also with an old draft', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_definition`);
    const choose = async (access: 'public' | 'workspace') =>
      collections().change(id, { ...(await now()), api: { access } });
    await nameOf(page, 'price').fill('cost');
    await choose('public');
    await page.reload();
    await page.getByText('This is your draft').waitFor();
    await choose('workspace');
    await review(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('price is renamed to cost').waitFor();
    assert.equal(await dialog.getByText('The settings change').count(), 0);
    await press(page, 'Apply');
    await page.getByText('No changes').waitFor();
    assert.equal((await now()).api?.access, 'workspace');
    assert.deepEqual(await fieldNames(), ['title', 'name', 'cost']);
    await done(page);
  });

  it('leaves it so also where the JSON was half typed by then', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_definition`);
    const json = page.getByRole('textbox', { name: 'The definition as JSON' });
    const choose = async (access: 'public' | 'workspace') =>
      collections().change(id, { ...(await now()), api: { access } });
    await choose('public');
    await page.reload();
    await nameOf(page, 'price').fill('cost');
    await json.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(',');
    await page.getByText('This is not a definition yet').waitFor();
    await choose('workspace');
    await page.reload();
    await page.getByText('This is not a definition yet').waitFor();
    await json.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(',');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.getByText('renamed from price').waitFor();
    await json.getByText('"workspace"').waitFor();
    await save(page);
    await page.getByText('No changes').waitFor();
    assert.equal((await now()).api?.access, 'workspace');
    assert.deepEqual(await fieldNames(), ['title', 'name', 'cost']);
    await done(page);
  });

  it('types numbers with a point and a sign as rules', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_definition`);
    const price = card(page, 'price');
    await price.getByText('Rules').click();
    await price.getByLabel('Minimum').pressSequentially('-0.5');
    await price.getByLabel('Maximum').pressSequentially('1.05');
    assert.equal(await price.getByLabel('Minimum').inputValue(), '-0.5');
    assert.equal(await price.getByLabel('Maximum').inputValue(), '1.05');
    await save(page);
    assert.deepEqual((await now()).fields?.price, { type: 'number', min: -0.5, max: 1.05 });
    await price.getByLabel('Maximum').fill('');
    await save(page);
    assert.deepEqual((await now()).fields?.price, { type: 'number', min: -0.5 });
    await price.getByLabel('Minimum').fill('x');
    await review(page).click();
    await price.getByText(/must be .*number/).waitFor();
    await done(page);
  });

  it('brings back what was discarded by a slip of the hand', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_definition`);
    await nameOf(page, 'price').fill('cost');
    await press(page, 'Discard');
    await card(page, 'price').waitFor();
    await press(page, 'Undo');
    await card(page, 'cost').getByText('renamed from price').waitFor();
    await page.reload();
    await card(page, 'cost').waitFor();
    await press(page, 'Discard');
    await nameOf(page, 'title').fill('heading');
    await press(page, 'Undo');
    await page.getByText('Not restored').waitFor();
    await card(page, 'heading').waitFor();
    await done(page);
  });

  it('finds what was brought back also after a visit elsewhere, with who may do what since', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_definition`);
    const tab = (name: string) => page.getByRole('main').getByRole('link', { name, exact: true }).click();
    await nameOf(page, 'price').fill('cost');
    await press(page, 'Discard');
    await tab('Access');
    await page.getByRole('combobox', { name: 'Collection', exact: true }).selectOption('public');
    await press(page, 'Save');
    await page.getByText('Saved', { exact: true }).waitFor();
    await tab('Definition');
    await card(page, 'price').waitFor();
    await page.keyboard.press('Control+z');
    await card(page, 'cost').getByText('renamed from price').waitFor();
    await page.getByRole('textbox', { name: 'The definition as JSON' }).getByText('"public"').waitFor();
    await done(page);
  });

  it('is not brought what takes back what was saved since it was discarded', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_definition`);
    await nameOf(page, 'price').fill('cost');
    await press(page, 'Discard');
    await nameOf(page, 'title').fill('heading');
    await save(page);
    await page.getByText('No changes').waitFor();
    await page.keyboard.press('Control+z');
    await page.getByText('Not restored').waitFor();
    assert.equal(await card(page, 'cost').count(), 0);
    await done(page);
  });

  it('moves a field up, and that alone can be saved', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_definition`);
    await press(page, 'Move price up');
    await review(page).click();
    await page.getByRole('dialog').getByText('The order of the fields changes').waitFor();
    await press(page, 'Apply');
    await page.getByText('No changes').waitFor();
    assert.deepEqual(await fieldNames(), ['title', 'price', 'name']);
    const shown = () =>
      page.locator('.field-card').evaluateAll((cards) => cards.map((one) => one.getAttribute('aria-label')));
    assert.deepEqual(await shown(), ['Field title', 'Field price', 'Field name']);
    await page.getByRole('link', { name: 'Records', exact: true }).first().click();
    await page.getByText('No records yet').waitFor();
    await page.goBack();
    await page.getByText('No changes').waitFor();
    assert.deepEqual(await shown(), ['Field title', 'Field price', 'Field name']);
    await done(page);
  });

  it('is told at the field what a name may be', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_definition`);
    await nameOf(page, 'title').fill('my title');
    await card(page, 'my title').getByText('A name begins with a letter').waitFor();
    await review(page).click();
    await nameOf(page, 'my title').fill('myTitle');
    await save(page);
    assert.deepEqual(await fieldNames(), ['myTitle', 'name', 'price']);
    await done(page);
  });

  it('is told of two fields with one name, and loses neither', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_definition`);
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent += 1;
    });
    await nameOf(page, 'name').fill('title');
    await page.getByText('Another field has this name.').waitFor();
    await review(page).click();
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(sent, 0, 'nothing is asked of the server');
    assert.equal(await card(page, 'title').count(), 2);
    await nameOf(page, 'title').last().pressSequentially('2');
    await page.getByText('Another field has this name.').waitFor({ state: 'detached' });
    await save(page);
    assert.deepEqual(await fieldNames(), ['title', 'title2', 'price']);
    await done(page);
  });

  it('finds a field that took the name of a removed one as it was after a reload, and is told at it', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_definition`);
    await press(page, 'Remove title');
    await nameOf(page, 'name').fill('title');
    await page.getByText('renamed from name').waitFor();
    await page.reload();
    await page.getByText('This is your draft').waitFor();
    await page.getByText('renamed from name').waitFor();
    await review(page).click();
    await card(page, 'title').getByText("there is a field 'title' already").waitFor();
    await done(page);
  });

  it('sees in red which steps lose values, and only those that can', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_definition`);
    const dialog = page.getByRole('dialog');
    const typeOf = (name: string) => card(page, name).getByLabel('Type');
    const isRed = (line: string) =>
      dialog.getByText(line).evaluate((item) => item.classList.contains('loss'));
    const plan = async (sentence: string | undefined, reds: Readonly<Record<string, boolean>>) => {
      await review(page).click();
      for (const [line, red] of Object.entries(reds)) assert.equal(await isRed(line), red, line);
      if (sentence === undefined) assert.equal(await dialog.getByText('The steps in red').count(), 0);
      else await dialog.getByText(sentence).waitFor();
      await press(page, 'Cancel');
      await dialog.waitFor({ state: 'detached' });
    };
    await typeOf('price').selectOption('text');
    await plan(undefined, { 'price becomes text': false });
    await press(page, 'Remove name');
    const both = { 'price becomes text': true, 'name is removed': true };
    await plan('can lose values for good, and at least one of them does', both);
    await typeOf('price').selectOption('number');
    await plan('The steps in red lose values for good.', { 'name is removed': true });
    await press(page, 'Discard');
    await typeOf('title').selectOption('number');
    await plan('The steps in red lose values for good.', { 'title becomes number': true });
    await done(page);
  });

  it('is asked before a duplicate takes the place of a new collection that was begun', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_new');
    const newId = page.getByLabel('Id', { exact: true });
    await newId.fill('begun');
    const copy = async () => {
      await world?.go(page, `/shop/${id}/_definition`);
      await press(page, 'Duplicate collection');
    };
    await copy();
    const dialog = page.getByRole('dialog', { name: 'Discard the new collection?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await world.go(page, '/shop/_new');
    assert.equal(await newId.inputValue(), 'begun');
    await copy();
    await dialog.getByRole('button', { name: 'Discard it' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await newId.inputValue(), `${id}-copy`);
    await done(page);
  });
});
