import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Definition } from '../../client/admin.ts';
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
const begun = { title: text, note: text };
beforeEach(async () => {
  count += 1;
  id = `things${count}`;
  const api = { access: 'public' } as const;
  await world?.admin.project('shop').collections.create({ id, fields: begun, api });
});

const collections = () => {
  assert.ok(world);
  return world.admin.project('shop').collections;
};
const now = (): Promise<Definition> => collections().view(id);
/** What somebody else does meanwhile. */
const elsewhere = async (change: Partial<Definition>) =>
  collections().change(id, { ...(await now()), ...change });
const level = (page: Page, method: string) => page.getByRole('combobox', { name: method, exact: true });
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
const saved = (page: Page) => page.getByText('Saved', { exact: true }).last().waitFor();

describe('who may do what', { skip }, () => {
  it('is saved without undoing what somebody else changed of the fields', async () => {
    assert.ok(world);
    for (const [place, control] of [
      [`/shop/${id}/_access`, 'Level of Create'],
      ['/shop/_access', `${id}: Create`],
    ] as const) {
      const page = await world.at(place);
      await level(page, control).waitFor();
      const fields = { ...(await now()).fields, [`more${place.length}`]: text };
      await elsewhere({ fields });
      await level(page, control).selectOption(place === '/shop/_access' ? 'workspace' : 'user');
      await save(page);
      await saved(page);
      assert.deepEqual((await now()).fields, fields);
      await done(page);
    }
    assert.deepEqual((await now()).api?.methods, { create: { access: 'workspace' } });
  });

  it('is saved with Ctrl+S too, with a token that is still in its box', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_access`);
    await page.getByLabel('Fields of Distinct').click();
    await page.keyboard.type('title');
    await page.keyboard.press('Control+s');
    await saved(page);
    assert.deepEqual((await now()).api?.methods?.distinct, { fields: ['title'] });
    await world.go(page, '/shop/_access');
    await level(page, `${id}: Create`).selectOption('workspace');
    await page.keyboard.press('Control+s');
    await saved(page);
    assert.deepEqual((await now()).api?.methods?.create, { access: 'workspace' });
    await done(page);
  });

  it('is not saved over what somebody else chose meanwhile, before that was seen', async () => {
    assert.ok(world);
    for (const [place, create, remove] of [
      [`/shop/${id}/_access`, 'Level of Create', 'Level of Delete'],
      ['/shop/_access', `${id}: Create`, `${id}: Delete`],
    ] as const) {
      await elsewhere({ api: { access: 'public' } });
      const page = await world.at(place);
      await level(page, create).selectOption('user');
      const theirs = { access: 'public', methods: { delete: { access: 'workspace' } } } as const;
      await elsewhere({ api: theirs });
      await save(page);
      await page.getByRole('alert').getByText(`Somebody else has changed who may use ${id}`).waitFor();
      assert.deepEqual((await now()).api, theirs);
      assert.equal(await level(page, remove).inputValue(), 'workspace');
      assert.equal(await level(page, create).inputValue(), 'user');
      await page.reload();
      assert.equal(await level(page, create).inputValue(), 'user');
      await save(page);
      await saved(page);
      const both = { delete: { access: 'workspace' }, create: { access: 'user' } };
      assert.deepEqual((await now()).api?.methods, both);
      await done(page);
    }
  });

  it('keeps what is chosen while a save is under way', async () => {
    assert.ok(world);
    for (const [place, create, remove] of [
      [`/shop/${id}/_access`, 'Level of Create', 'Level of Delete'],
      ['/shop/_access', `${id}: Create`, `${id}: Delete`],
    ] as const) {
      await elsewhere({ api: { access: 'public' } });
      const page = await world.at(place);
      await level(page, create).selectOption('user');
      const here = Promise.withResolvers<void>();
      const asked = page.waitForRequest((request) => request.method() === 'PUT');
      await intercept(page, `**/collections/${id}`, async (route) => {
        if (route.request().method() === 'PUT') await here.promise;
        await route.continue();
      });
      await save(page);
      await asked;
      await level(page, remove).selectOption('workspace');
      here.resolve();
      await saved(page);
      assert.deepEqual((await now()).api?.methods, { create: { access: 'user' } });
      assert.equal(await level(page, remove).inputValue(), 'workspace');
      await page.unrouteAll();
      await page.reload();
      assert.equal(await level(page, create).inputValue(), 'user');
      assert.equal(await level(page, remove).inputValue(), 'workspace');
      await save(page);
      await saved(page);
      const both = { create: { access: 'user' }, delete: { access: 'workspace' } };
      assert.deepEqual((await now()).api?.methods, both);
      await done(page);
    }
  });
});

describe('an index that is added where a list is slow', { skip }, () => {
  it('undoes nothing that somebody else changed', async () => {
    assert.ok(world);
    const page = await world.open();
    const stats = { records: 50_000, bytes: 1 };
    await intercept(page, '**/stats', (route) => route.fulfill({ json: { ok: true, result: stats } }));
    await world.go(page, `/shop/${id}?note=x`);
    const add = page.getByRole('button', { name: 'Add the index' });
    await add.waitFor();
    await elsewhere({ fields: { ...begun, more: text }, api: { access: 'user' } });
    await add.click();
    await page.getByText('note: indexed from now on').waitFor();
    const { fields, api } = await now();
    assert.deepEqual(fields, { title: text, note: { ...text, index: true }, more: text });
    assert.equal(api?.access, 'user');
    await done(page);
  });
});

describe('on a phone', { skip }, () => {
  it('no level is cut', async () => {
    assert.ok(world);
    await elsewhere({ api: { access: 'workspace' } });
    for (const place of [`/shop/${id}/_access`, '/shop/_access']) {
      const page = await world.at(place, { phone: true });
      await page.locator('.level').first().waitFor();
      const cut = await page.locator('select.level').evaluateAll((selects) =>
        selects.filter((select) => {
          const shown = select.getBoundingClientRect().width;
          select.style.width = 'max-content';
          select.style.minWidth = '0';
          return select.getBoundingClientRect().width > shown + 0.5;
        }),
      );
      assert.equal(cut.length, 0, place);
      await done(page);
    }
  });
});

describe("'Why can't they see it?'", { skip }, () => {
  it('keeps the answer to what was asked last when that of an earlier question comes late', async () => {
    assert.ok(world);
    const page = await world.at(`/shop/${id}/_access`);
    const first = Promise.withResolvers<void>();
    let asked = 0;
    await intercept(page, /explain/, async (route) => {
      asked += 1;
      if (asked === 1) await first.promise;
      await route.continue();
    });
    const explain = page.getByRole('button', { name: 'Explain' });
    await explain.click();
    await page.getByLabel('Method', { exact: true }).selectOption('delete');
    await explain.click();
    await page.getByText('The caller sends no token.').waitFor();
    const late = page.waitForResponse(/explain/);
    first.resolve();
    await (await late).finished();
    await page.waitForTimeout(200);
    assert.ok(await page.getByText('The caller sends no token.').isVisible());
    await done(page);
  });

  it('shows an answer beside its own question alone, and whom it is about', async () => {
    assert.ok(world);
    const { users } = world.admin.project('shop');
    for (const name of ['ann', 'ben', 'cem'])
      await users.create({ email: `${name}@example.com`, name, password: 'correct horse' });
    const page = await world.at(`/shop/${id}/_access`);
    const explain = page.getByRole('button', { name: 'Explain' });
    await explain.click();
    await page.getByText('The caller sends no token.').waitFor();
    await page.getByLabel('Method', { exact: true }).selectOption('delete');
    await page.getByText('The caller sends no token.').waitFor({ state: 'detached' });
    await page.getByLabel('Caller').selectOption('user');
    await page.getByLabel('User', { exact: true }).selectOption({ label: 'ann@example.com' });
    await page.getByLabel('Search by address or name').fill('ben');
    const choices = page.getByLabel('User', { exact: true }).getByRole('option');
    await choices.filter({ hasText: 'cem@example.com' }).waitFor({ state: 'detached' });
    const chosen = await page
      .getByLabel('User', { exact: true })
      .evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text);
    assert.equal(chosen, 'ann@example.com', 'whoever is asked about is seen');
    await done(page);
  });
});
