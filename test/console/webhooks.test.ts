import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleWorld, done, makeShop, startConsole } from './world.ts';

let world: ConsoleWorld | undefined;
before(async () => {
  world = await startConsole();
  if (world) await makeShop(world, 'shop');
});
after(() => world?.close());

const choose = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

it('a webhook is made, tried, paused, given another secret and deleted', { timeout: 280_000 }, async () => {
  if (!world) return;
  const { webhooks } = world.admin.project('shop');
  const page = await world.at('/shop/_webhooks');
  const dialog = page.getByRole('dialog');

  await page.getByRole('button', { name: 'New webhook' }).click();
  await dialog.getByLabel('Name').fill('Mailer');
  await dialog.getByLabel('Address').fill('https://127.0.0.1/');
  await dialog.getByLabel('Collections').fill('products');
  await page.keyboard.press('Enter');
  await dialog.getByLabel('delete').uncheck();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('must not be a private address').waitFor();
  await dialog.getByLabel('Address').fill('https://mailer.invalid/hook');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const secret = await dialog.getByLabel('Secret').inputValue();
  assert.match(secret, /^whsec_/);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  const made = (await webhooks.list()).found.find(({ name }) => name === 'Mailer');
  assert.deepEqual([made?.collections, made?.kinds], [['products'], ['create', 'update']]);

  await choose(page, 'Mailer', 'Send a test');
  await page.getByText('The test failed: the name is not known').waitFor();
  await choose(page, 'Mailer', 'Pause');
  await page
    .getByRole('row', { name: /Mailer/ })
    .getByText('paused')
    .waitFor();
  assert.equal((await webhooks.view(made?._id ?? '')).paused, true);
  await choose(page, 'Mailer', 'Resume');
  await page
    .getByRole('row', { name: /Mailer/ })
    .getByText('active')
    .waitFor();

  await choose(page, 'Mailer', 'Edit');
  await dialog.getByLabel('Name').fill('Post');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await choose(page, 'Post', 'Replace the secret');
  await dialog.getByRole('button', { name: 'Replace the secret' }).click();
  assert.notEqual(await dialog.getByLabel('Secret').inputValue(), secret);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();

  await choose(page, 'Search index', 'Deliveries');
  await dialog.getByText('brands.create').first().waitFor();
  await dialog.getByText('waiting').first().waitFor();
  await dialog.getByRole('button', { name: 'Send all again' }).click();
  const question = page.getByRole('dialog', { name: 'Send again?' });
  await question.getByRole('button', { name: 'Send all again' }).click();
  await page.getByText('It is being sent again').waitFor();
  await question.waitFor({ state: 'hidden' });
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  await choose(page, 'Post', 'Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted Post').waitFor();
  assert.deepEqual(
    (await webhooks.list()).found.map(({ name }) => name),
    ['Search index'],
  );
  await done(page);
});
