import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { skipWithout } from '../browser.ts';
import { intercept } from '../intercept.ts';
import { adminKey, done, makeShop, startConsole } from './world.ts';

const world = await startConsole();
const skip = skipWithout(world?.browser);
before(async () => {
  if (world) await makeShop(world, 'shop');
});
after(() => world?.close());

describe('settings of a project', { skip }, () => {
  it('keep what is typed while a save is under way, also what was typed back', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_settings');
    const name = page.getByLabel('Name', { exact: true }).first();
    await name.fill('The first');
    await page.getByLabel('Sign-up').selectOption('closed');
    const here = Promise.withResolvers<void>();
    const asked = page.waitForRequest((request) => request.method() === 'PATCH');
    await intercept(page, '**/projects/shop', (route) => here.promise.then(() => route.continue()));
    await page.getByRole('button', { name: 'Save' }).click();
    await asked;
    await page.getByLabel('Access tokens last').fill('20');
    await page.getByLabel('Sign-up').selectOption('open');
    here.resolve();
    await page.getByText('Settings saved').waitFor();
    const saved = await world.admin.projects.view('shop');
    assert.deepEqual([saved.name, saved.auth.registration], ['The first', 'closed']);
    await page.getByText('Not saved').waitFor();
    await page.reload();
    assert.equal(await name.inputValue(), 'The first');
    assert.equal(await page.getByLabel('Access tokens last').inputValue(), '20');
    assert.equal(await page.getByLabel('Sign-up').inputValue(), 'open');
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not saved').waitFor({ state: 'detached' });
    const { auth } = await world.admin.projects.view('shop');
    assert.deepEqual([auth.accessTokenMinutes, auth.registration], [20, 'open']);
    await done(page);
  });

  it('bring back what was discarded by a slip of the hand', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_settings');
    const [signUp, minutes] = [page.getByLabel('Sign-up'), page.getByLabel('Access tokens last')];
    await signUp.selectOption('closed');
    await minutes.fill('7');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Not saved').waitFor({ state: 'detached' });
    await minutes.fill('8');
    await page.getByRole('button', { name: 'Undo' }).click();
    assert.deepEqual([await signUp.inputValue(), await minutes.inputValue()], ['closed', '8']);
    await page.getByRole('button', { name: 'Discard' }).click();
    await done(page);
  });

  it('are saved with Ctrl+S too, wherever the focus is, but not while a question is open', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_settings');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.url());
    });
    const name = page.getByLabel('Name', { exact: true }).first();
    await name.waitFor();
    await page.keyboard.press('Control+s'); // nothing to save
    await name.fill('Named by a key');
    await page.keyboard.press('Control+s');
    await page.getByText('Settings saved').waitFor();
    await page.getByText('Not saved').waitFor({ state: 'detached' });
    await name.fill('Named by another');
    await page.getByRole('heading', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Delete project' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Control+s');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(sent.length, 1);
    await page.keyboard.press('Control+s');
    await page.getByText('Not saved').waitFor({ state: 'detached' });
    assert.equal((await world.admin.projects.view('shop')).name, 'Named by another');
    assert.equal(sent.length, 2);
    await done(page);
  });

  it('say why it is not told what a deletion takes along, and tell it then', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_settings');
    await intercept(page, '**/stats', (route) =>
      route.fulfill({ status: 500, json: { error: 'Not counted' } }),
    );
    await page.getByRole('button', { name: 'Delete project' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Not counted').waitFor();
    await page.unrouteAll();
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText('2 collections').waitFor();
    await done(page);
  });

  it('lead to the projects where the project is gone, as its other screens do', async () => {
    assert.ok(world);
    const page = await world.open();
    for (const path of ['/gone', '/gone/things', '/gone/_users', '/gone/_settings']) {
      await world.go(page, path);
      await page.getByRole('main').getByRole('link', { name: 'All projects' }).click();
      await page.getByRole('heading', { name: 'Projects' }).waitFor();
    }
    await done(page);
  });

  it('keep what was typed after leaving and coming back during a save', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_settings');
    const name = page.getByLabel('Name', { exact: true }).first();
    await name.fill('Left behind');
    const here = Promise.withResolvers<void>();
    const asked = page.waitForRequest((request) => request.method() === 'PATCH');
    await intercept(page, '**/projects/shop', (route) => here.promise.then(() => route.continue()));
    await page.getByRole('button', { name: 'Save' }).click();
    await asked;
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByRole('heading', { name: 'Users', exact: true }).waitFor();
    await page.goBack();
    await page.getByLabel('Access tokens last').fill('25');
    here.resolve();
    await page.getByText('Settings saved').waitFor();
    assert.equal(await page.getByLabel('Access tokens last').inputValue(), '25');
    assert.equal(await name.inputValue(), 'Left behind');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not saved').waitFor({ state: 'detached' });
    assert.equal((await world.admin.projects.view('shop')).auth.accessTokenMinutes, 25);
    await done(page);
  });

  it('say where a loss that was confirmed was not done, and ask only for what can be confirmed', async () => {
    assert.ok(world);
    const { users } = world.admin.project('shop');
    const [ann] = (await users.list()).found;
    await users.update(ann?._id ?? '', { profile: { plan: 'pro' } });
    const page = await world.at('/shop/_settings');
    const profile = page.getByRole('region', { name: 'Profile', exact: true });
    await profile.getByRole('button', { name: 'Add field' }).click();
    const added = profile.getByRole('region', { name: 'Field field2' });
    await added.getByLabel('required').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('1 users contradict it').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0, 'no confirmation would help');
    await profile.getByRole('button', { name: 'Remove field2' }).click();

    await profile.getByRole('button', { name: 'Remove plan' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Values will be lost' });
    await dialog.getByText(/users would lose the values of plan \(1\)$/).waitFor();
    const refused = 'Try again in a moment';
    const here = Promise.withResolvers<void>();
    const asked = page.waitForRequest((request) => request.method() === 'PATCH');
    await intercept(page, '**/projects/shop?*', async (route) => {
      await here.promise;
      await route.fulfill({ status: 503, json: { ok: false, error: refused } });
    });
    await dialog.getByRole('button', { name: 'Save and lose them' }).click();
    await asked;
    await page.keyboard.press('Escape');
    assert.ok(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled());
    here.resolve();
    await dialog.getByRole('alert').getByText(refused).waitFor();
    await page.unrouteAll();
    await dialog.getByRole('button', { name: 'Save and lose them' }).click();
    await page.getByText('Settings saved').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Not saved').waitFor({ state: 'detached' });
    assert.deepEqual((await world.admin.projects.view('shop')).auth.profile, {});
    await done(page);
  });

  it('are not sent with two profile fields of one name', async () => {
    assert.ok(world);
    const plan = { type: 'text', maxLength: 5 };
    await world.admin.projects.update('shop', { auth: { profile: { plan } } });
    const page = await world.at('/shop/_settings');
    const profile = page.getByRole('region', { name: 'Profile', exact: true });
    await profile.getByRole('button', { name: 'Add field' }).click();
    const name = profile.getByRole('region', { name: 'Field field2' }).getByLabel('Name', { exact: true });
    await name.fill('plan');
    await profile.getByText('Another field has this name.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await profile.getByLabel('Name', { exact: true }).last().fill('seats');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved').waitFor();
    const { auth } = await world.admin.projects.view('shop');
    assert.deepEqual(auth.profile, { plan, seats: { type: 'text' } });
    await done(page);
  });

  it('rename a profile field once more while its new name is being saved', async () => {
    assert.ok(world);
    const { users } = world.admin.project('shop');
    await world.admin.projects.update(
      'shop',
      { auth: { profile: { plan: { type: 'text' } } } },
      { confirm: 'destructive' },
    );
    const [ann] = (await users.list()).found;
    await users.update(ann?._id ?? '', { profile: { plan: 'pro' } });
    const page = await world.at('/shop/_settings');
    const profile = page.getByRole('region', { name: 'Profile', exact: true });
    const name = profile.getByLabel('Name', { exact: true });
    await name.fill('level');
    const here = Promise.withResolvers<void>();
    const asked = page.waitForRequest((request) => request.method() === 'PATCH');
    await intercept(page, '**/projects/shop', (route) => here.promise.then(() => route.continue()));
    await name.press('Enter');
    await asked;
    await page.keyboard.press('End');
    await page.keyboard.type('s');
    here.resolve();
    await page.getByText('Settings saved').waitFor();
    await profile.getByText('renamed from level', { exact: true }).waitFor();
    await page.keyboard.type('2');
    assert.equal(await name.inputValue(), 'levels2', 'the focus is where it was');
    await name.press('Enter');
    await page.getByText('Not saved').waitFor({ state: 'detached' });
    const changed = await users.view(ann?._id ?? '');
    assert.deepEqual(changed.profile, { levels2: 'pro' });
    await done(page);
  });

  it('lead to what is wrong, and are not saved with JSON that is half typed', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_settings');
    const minutes = page.getByLabel('Access tokens last');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await minutes.fill('0');
    await save.click();
    await page.getByText('must be a whole number').first().waitFor();
    await minutes.and(page.locator(':focus')).waitFor();
    await minutes.fill('30');
    await page.getByText('As JSON').click();
    await page.getByRole('textbox', { name: 'Profile fields as JSON' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{"plan": {"type": "text", "type": "number"}}');
    await page.getByText("'type' is there twice: keep one of them.").waitFor();
    assert.ok(await save.isDisabled());
    await page.getByText('As JSON').click();
    await page.getByText("'type' is there twice: keep one of them.").waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText("'type' is there twice").waitFor({ state: 'detached' });
    await done(page);
  });

  it('keep a secret that was typed while another screen is looked at, until signing out', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_settings');
    const nav = page.getByRole('navigation', { name: 'Main' });
    const secret = page.getByLabel('Client secret');
    await page.getByRole('button', { name: 'Add provider' }).click();
    await secret.fill('a long secret');
    await nav.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    await nav.getByRole('link', { name: 'Settings' }).click();
    assert.equal(await secret.inputValue(), 'a long secret');
    assert.doesNotMatch(await page.evaluate(() => JSON.stringify(localStorage)), /a long secret/);
    await page.getByRole('button', { name: "Administrator's key" }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Use a key instead' }).click();
    await page.getByLabel("Administrator's key").fill(adminKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    assert.equal(await secret.inputValue(), '');
    await done(page);
  });
});
