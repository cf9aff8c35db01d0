import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { VitrineError } from '../../client/client.ts';
import { faultAt, faultsBelow, faultsBeside, faultsOf, isElsewhere } from '../../console/faults.ts';
import { skipWithout } from '../browser.ts';
import { cell, panel } from './parts.ts';
import { done, makeShop, startConsole } from './world.ts';

const world = await startConsole();
const skip = skipWithout(world?.browser);
before(async () => {
  if (!world) return;
  await makeShop(world, 'shop', 2);
  const profile = { nums: { type: 'list', of: { type: 'number' } } };
  await world.admin.projects.update('shop', { auth: { profile } }, { confirm: 'destructive' });
});
after(() => world?.close());

const refused = new VitrineError(
  400,
  'price: must be a number; tags[2]: is too long; fields.a.of.min: must not be above max; fields.ab: is wrong',
);

it('a control shows the messages for its place and for those below it', () => {
  const faults = faultsOf(refused);
  assert.equal(faultAt(faults, 'price'), 'must be a number');
  assert.equal(faultAt(faults, 'tags'), 'tags[2]: is too long');
  assert.equal(faultAt(faults, 'fields.a.of'), 'of.min: must not be above max');
  assert.equal(faultAt(faults, 'pric'), undefined);
  assert.deepEqual(faultsBelow(faults, 'fields.a'), { 'of.min': 'must not be above max' });
  assert.deepEqual(faultsBelow(faults, 'fields.ab'), { '': 'is wrong' });
  assert.deepEqual(faultsBeside(faults, ['price', 'tags', 'fields.a']), { 'fields.ab': 'is wrong' });
  assert.deepEqual(faultsOf(new Error('price: x')), {});
});

it('an error is shown as a whole where a control does not show a part of it', () => {
  assert.ok(isElsewhere(refused, ['price', 'tags', 'fields.a']));
  assert.ok(!isElsewhere(refused, ['price', 'tags', 'fields.a', 'fields.ab']));
  assert.ok(!isElsewhere(undefined, []));
  assert.ok(isElsewhere(new Error('price: x'), ['price']));
  assert.ok(isElsewhere(new VitrineError(409, 'there is another one'), ['price']));
  assert.ok(isElsewhere(new VitrineError(400, 'price: is too low; my field: is no name'), ['price']));
  assert.ok(
    !isElsewhere(new VitrineError(409, 'brand, title: is taken; title: is long'), ['brand', 'title']),
  );
});

describe('what the server refuses is told', { skip }, () => {
  it('at the rule of a field, also where it is about what is below it', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_new');
    await page.getByRole('textbox', { name: 'The definition as JSON' }).click();
    await page.keyboard.press('Control+A');
    const of = { type: 'number', min: 5, max: 1 };
    const fields = {
      sizes: { type: 'list', of: { type: 'number' }, default: ['x'] },
      widths: { type: 'list', of, foo: 1 },
      name: { type: 'text', unique: 'yes' },
    };
    const indexes = [{ fields: ['name', 'nowhere'] }];
    await page.keyboard.insertText(JSON.stringify({ id: 'boxes', fields, indexes }));
    const field = (name: string) => page.getByRole('region', { name: `Field ${name}`, exact: true });
    await field('widths').waitFor();
    await page.getByRole('button', { name: 'Create collection' }).click();
    await field('sizes').getByText('default[0]: must be a number').waitFor();
    await field('widths').getByText('of.min: must not be above max').waitFor();
    await field('widths').getByText('foo: is not a known key').waitFor();
    await field('name').getByText('unique: must be true or false').waitFor();
    await page.getByText("fields[1]: there is no field 'nowhere'").waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await done(page);
  });

  it('at the list of a profile', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_users');
    await page.getByRole('button', { name: 'Actions for ann@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit ann@example.com' });
    await dialog.getByLabel('nums').fill('twelve,');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('nums[0]: must be a number').waitFor();
    await done(page);
  });

  it('beside the JSON of a record, which has no controls', async () => {
    assert.ok(world);
    const page = await world.at('/shop/products');
    await cell(page, 'Product 00001').click();
    await panel(page).getByLabel('price').fill('-5');
    await panel(page).getByRole('tab', { name: 'JSON' }).click();
    await page.keyboard.press('Control+s');
    await panel(page).getByRole('alert').getByText('price: must be at least 0').waitFor();
    await panel(page).getByRole('tab', { name: 'Form' }).click();
    await panel(page).getByText('must be at least 0', { exact: true }).waitFor();
    assert.equal(await panel(page).getByRole('alert').count(), 0);
    await done(page);
  });
});
