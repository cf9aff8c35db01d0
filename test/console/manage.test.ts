import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient } from '../../client/client.ts';
import { totpCode } from '../../src/access/totp.ts';
import { skipWithout } from '../browser.ts';
import { intercept } from '../intercept.ts';
import { done, makeShop, startConsole } from './world.ts';

const world = await startConsole();
const skip = skipWithout(world?.browser);
before(async () => {
  if (world) await makeShop(world, 'shop', 30);
});
after(() => world?.close());

describe('who runs a project in the console', { skip }, () => {
  it('adds a user who can sign in, and disables them', async () => {
    assert.ok(world);
    const client = createClient(world.base, { project: 'shop' });
    const account = { email: 'bob@example.com', password: 'battery staple' };
    const page = await world.at('/shop/_users');
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('How they sign in').selectOption('password');
    await page.getByLabel('Email').fill('bob');
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await page.getByLabel('Email').fill(account.email);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('cell', { name: account.email, exact: true }).waitFor();
    assert.equal((await client.auth.login(account)).user?.email, account.email);
    const actions = page.getByRole('button', { name: 'Actions for bob@example.com' });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click();
    await page.getByText('bob@example.com is signed out everywhere').waitFor();
    await assert.rejects(client.auth.me(), { status: 401 });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Link for a new password' }).click();
    assert.match(await page.getByLabel('Link', { exact: true }).inputValue(), /token=/);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await actions.click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByRole('cell', { name: 'disabled' }).waitFor();
    await assert.rejects(client.auth.login(account), { status: 401 });
    await page.getByRole('searchbox').fill('nobody has this');
    await page.getByText('No user matches').waitFor();
    assert.match(page.url(), /search=nobody/);
    await done(page);
  });

  it('invites a user, who chooses a password behind the link', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_users');
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('Email').fill('carol@example.com');
    await page.getByLabel('Name', { exact: true }).fill('Carol');
    await page.getByRole('button', { name: 'Create' }).click();
    const link = await page.getByLabel('Link', { exact: true }).inputValue();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('cell', { name: 'carol@example.com', exact: true }).waitFor();
    await page.goto(link);
    await page.getByLabel('New password').fill('chosen by Carol');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('Your password is changed').waitFor();
    const client = createClient(world.base, { project: 'shop' });
    const account = { email: 'carol@example.com', password: 'chosen by Carol' };
    assert.equal((await client.auth.login(account)).user?.name, 'Carol');
    await done(page);
  });

  it('invites an administrator, sees the open invitation, and withdraws it', async () => {
    assert.ok(world);
    const page = await world.at('/_administrators');
    await page.getByText('No administrator has an account yet').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Open invitations' }).count(), 0);
    for (const email of ['eve@example.com', 'finn@example.com']) {
      await page.getByRole('button', { name: 'Invite' }).first().click();
      await page.getByLabel('Email').fill(email);
      await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
      assert.match(await page.getByLabel('Set-up link').inputValue(), /#/);
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await page.getByRole('cell', { name: email, exact: true }).waitFor();
    }
    await page.getByRole('button', { name: 'Withdraw the invitation of eve@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('Withdrew the invitation of eve@example.com').waitFor();
    await page.getByRole('cell', { name: 'eve@example.com', exact: true }).waitFor({ state: 'detached' });
    const { found } = await world.admin.administrators.invitations();
    assert.deepEqual(
      found.map(({ email }) => email),
      ['finn@example.com'],
    );
    await done(page);
  });

  it('finds a user whom no link could be made for in the list, and makes one from there', async () => {
    assert.ok(world);
    const email = 'dora@example.com';
    const page = await world.at('/shop/_users');
    await intercept(page, '**/users/*/reset', (route) =>
      route.fulfill({ status: 500, json: { ok: false, error: 'No link today' } }),
    );
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText(`${email} is created, but has no link yet: No link today`).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.unrouteAll();
    await page.getByRole('button', { name: `Actions for ${email}` }).click();
    await page.getByRole('menuitem', { name: 'Link for a new password' }).click();
    assert.match(await page.getByLabel('Link', { exact: true }).inputValue(), /token=/);
    await done(page);
  });

  it('gives users fields of their own, and changes the address and the profile of one', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_settings');
    const profile = page.getByRole('region', { name: 'Profile', exact: true });
    await profile.getByRole('button', { name: 'Add field' }).click();
    const nameOf = (name: string) =>
      profile.getByRole('region', { name: `Field ${name}` }).getByLabel('Name', { exact: true });
    await nameOf('field2').fill('seats');
    const field = profile.getByRole('region', { name: 'Field seats' });
    await field.getByLabel('Type').selectOption('number');
    await field.getByText('Rules').click();
    await field.getByLabel('Set by').selectOption('server');
    await field.getByLabel('Maximum').fill('-1');
    await field.getByLabel('Minimum').fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await field.getByText('must not be above max').waitFor();
    await field.getByLabel('Maximum').fill('50');
    await page.reload(); // a draft of it is kept
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved').waitFor();
    const { auth } = await world.admin.projects.view('shop');
    const { seats } = auth.profile as Readonly<Record<string, unknown>>;
    assert.deepEqual(seats, { type: 'number', min: 0, max: 50, write: 'server' });
    await nameOf('seats').fill('places');
    await profile.getByText('renamed from seats').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('renamed from seats').waitFor({ state: 'detached' });

    await page.goto(`${world.base}/_console/shop/_users?search=ann`);
    await page.getByRole('button', { name: 'Actions for ann@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit ann@example.com' });
    await dialog.getByLabel('places').fill('51');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('must be at most 50').waitFor();
    assert.ok(await dialog.getByLabel('places').evaluate((control) => control === document.activeElement));
    await dialog.getByLabel('places').fill('12');
    await dialog.getByLabel('Email').fill('anna@example.com');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'anna@example.com', exact: true }).waitFor();
    const [user] = (await world.admin.project('shop').users.list({ email: 'anna@example.com' })).found;
    assert.deepEqual([user?.name, user?.profile], ['Ann', { plan: 'free', places: 12 }]);
    await world.admin.project('shop').users.update(user?._id ?? '', { email: 'ann@example.com' });
    await done(page);
  });

  it('sees what the server does, as pictures and as a table, also after it did not answer', async () => {
    assert.ok(world);
    const page = await world.at('/_metrics');
    await page.getByRole('img', { name: /^Memory: resident [0-9.]+ MB/ }).waitFor();
    await intercept(page, '**/metrics', (route) => route.abort());
    await page.getByRole('main').getByRole('alert').waitFor();
    await page.unrouteAll();
    await page.getByRole('img', { name: /^Requests: requests [0-9.]+;/ }).waitFor();
    await page.getByRole('main').getByRole('alert').waitFor({ state: 'detached' });
    await page.getByText('The figures as a table').click();
    await page.getByRole('row').nth(2).waitFor(); // of two readings or more, below their names
    await done(page);
  });

  it('changes settings, which are kept over a reload until they are saved', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_settings');
    await page.getByLabel('Sign-up').selectOption('closed');
    await page.getByLabel('Access tokens last').fill('0');
    await page.reload();
    await page.getByText('Not saved').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^must be .*1 to 1440/).waitFor();
    await page.getByLabel('Access tokens last').fill('20');
    await page.getByLabel('Changes are remembered').fill('30');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved').waitFor();
    const { auth, changes } = await world.admin.projects.view('shop');
    assert.deepEqual([auth.registration, auth.accessTokenMinutes, changes], ['closed', 20, { days: 30 }]);
    await page.getByLabel('Sign-up').selectOption('open');
    await page.getByRole('button', { name: 'Discard' }).click();
    assert.equal(await page.getByLabel('Sign-up').inputValue(), 'closed');
    await done(page);
  });

  it('adds a provider and words of a mail, and takes the second factor of a user away', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_settings');
    await page.getByRole('button', { name: 'Add provider' }).click();
    const provider = page.getByRole('group', { name: 'Provider' });
    const typed = { Id: 'acme', Name: 'Acme', Issuer: 'https://login.example', 'Client id': 'shop' };
    for (const [label, text] of Object.entries(typed))
      await provider.getByLabel(label, { exact: true }).fill(text);
    await provider.getByLabel('Client secret').fill('a secret of the provider');
    const mail = page.locator('details', { hasText: 'Forgotten password' });
    await mail.locator('summary').click();
    await mail.getByLabel('Subject').fill('A new password');
    await mail.getByLabel('Text').fill('Here it is: {link}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved').waitFor();
    const { auth } = await world.admin.projects.view('shop');
    assert.partialDeepStrictEqual(auth, {
      providers: [{ id: 'acme', name: 'Acme', issuer: 'https://login.example', clientId: 'shop' }],
      mail: { templates: { reset: { subject: 'A new password', text: 'Here it is: {link}' } } },
    });
    assert.ok(!JSON.stringify(auth).includes('a secret of'), 'it is told to nobody');

    const client = createClient(world.base, { project: 'shop' });
    const account = { email: 'tom@example.com', password: 'battery staple' };
    await world.admin.project('shop').users.create(account);
    await client.auth.login(account);
    const { secret } = await client.auth.totp.start();
    await client.auth.totp.confirm(totpCode(secret, Math.floor(Date.now() / 30_000)));
    await page.goto(`${world.base}/_console/shop/_users`);
    await page.getByRole('button', { name: 'Actions for tom@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Remove the second factor' }).click();
    await page.getByText('tom@example.com now signs in without a second factor').waitFor();
    assert.equal((await client.auth.login(account)).user?.email, account.email);
    await done(page);
  });

  it('is alarmed where the last backup of a project failed, or the newest good one is old', async () => {
    assert.ok(world);
    const page = await world.open();
    const made = (_id: string, status: string, daysAgo: number) => ({
      ...{ _id, project: 'shop', status },
      _createdAt: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
    });
    let found = [made('b', 'failed', 1), made('a', 'done', 2)];
    await intercept(page, '**/metrics', (route) =>
      route.fulfill({ contentType: 'text/plain', body: 'vitrine_backup_interval_seconds 259200\n' }),
    );
    await intercept(page, '**/v1/_admin/backups?*', (route) => {
      const list = { page: 1, perPage: 1000, total: found.length, totalPages: 1, found };
      return route.fulfill({ json: { ok: true, result: list } });
    });
    await world.go(page, '/shop/_backups');
    await page.getByRole('alert').getByText('The last backup of shop failed. The newest good one').waitFor();
    await page.getByText('The server backs up each project every 3 days. The next one is due on').waitFor();
    found = [made('a', 'done', 8)];
    await page.goto(`${world.base}/_console/_backups`);
    await page.getByRole('alert').getByText('shop was last backed up on').waitFor();
    found = [made('c', 'done', 1), made('b', 'failed', 2)];
    await page.reload();
    await page.getByRole('cell', { name: 'failed' }).waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await done(page);
  });

  it('makes a workspace, adds a member, and removes them once that is confirmed, by the keyboard', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_workspaces');
    await page.getByRole('button', { name: 'New workspace' }).press('Enter');
    await page.getByLabel('Name').fill('South');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Actions for South' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Members' }).press('Enter');
    await page.getByLabel('Add a user').fill('ann');
    await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');
    const member = page.getByRole('dialog').getByRole('cell', { name: 'ann@example.com', exact: true });
    await member.waitFor();
    await page.getByRole('button', { name: 'Remove ann@example.com' }).press('Enter');
    const question = page.getByRole('dialog', { name: 'Remove ann@example.com from the workspace?' });
    await question.getByRole('button', { name: 'Cancel' }).press('Enter');
    await member.waitFor();
    await page.evaluate(() => localStorage.setItem('vitrine production shop', '1'));
    await page.getByRole('button', { name: 'Remove ann@example.com' }).press('Enter');
    await question.getByLabel('Type shop to confirm').fill('shop');
    await page.keyboard.press('Enter');
    await page.getByText('Nobody is a member yet.').waitFor();
    // Somebody else removes them first: that is refused, and the list shows it.
    await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');
    await member.waitFor();
    const { workspaces } = world.admin.project('shop');
    const south = (await workspaces.list()).found.find(({ name }) => name === 'South')?._id ?? '';
    for (const { _id } of (await workspaces.members(south)).found) await workspaces.removeMember(south, _id);
    await page.getByRole('button', { name: 'Remove ann@example.com' }).press('Enter');
    await question.getByLabel('Type shop to confirm').fill('shop');
    await page.keyboard.press('Enter');
    await page.getByText('Nobody is a member yet.').waitFor();
    await done(page);
  });

  it('deletes a workspace, whose records stay', async () => {
    assert.ok(world);
    const { workspaces } = world.admin.project('shop');
    const brands = world.admin.records('shop').collection('brands');
    const { _id } = await workspaces.create({ name: 'Short-lived' });
    const left = await brands.create({ name: 'Left behind', _workspace: _id });
    const page = await world.at('/shop/_workspaces');
    await page.getByRole('button', { name: 'Actions for Short-lived' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted the workspace Short-lived').waitFor();
    await assert.rejects(workspaces.view(_id), { status: 404 });
    assert.equal((await brands.delete(left._id))._id, left._id);
    await done(page);
  });

  it('makes a server key that works, sees it once, and deletes it', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('What it is for').fill('Import');
    await page.getByLabel('Access').selectOption('read');
    await page.getByLabel('Expires').selectOption('after 30 days');
    await page.getByRole('button', { name: 'Create' }).click();
    const token = await page.getByLabel('Server key').inputValue();
    const client = createClient(world.base, { project: 'shop', token });
    assert.equal((await client.collection('products').list()).total, 30);
    await assert.rejects(client.collection('brands').create({ name: 'x' }), { status: 403 });
    // As it is in a page without TLS.
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
      document.addEventListener('copy', ({ target }) => {
        sessionStorage.setItem('copied', (target as HTMLTextAreaElement).value);
      });
    });
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('dialog').getByText('Copied', { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.getItem('copied')), token);
    await page.keyboard.press('Tab'); // from the button that was pressed
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'INPUT');
    await page.getByRole('button', { name: 'I have copied it' }).click();
    assert.ok(!(await page.content()).includes(token));
    await page.getByRole('button', { name: 'Delete the key Import' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted the key Import').waitFor();
    await assert.rejects(client.collection('products').list(), { status: 401 });
    await done(page);
  });

  it('backs a project up, restores it beside itself, and finds both in the audit', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_backups');
    await page.getByText('No backup yet').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Back up now' }).first().click();
    await page.getByRole('button', { name: 'Actions for the backup' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Download' }).click();
    assert.match((await download).suggestedFilename(), /^shop-.*\.db$/);
    await page.getByRole('button', { name: 'Actions for the backup' }).click();
    await page.getByRole('menuitem', { name: 'Restore' }).click();
    assert.equal(await page.getByLabel('Id of the project').inputValue(), 'shop-restored');
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Restored the project shop-restored').waitFor();
    await page
      .getByRole('main')
      .getByRole('link', { name: /Products/ })
      .waitFor();
    await page.goto(`${world.base}/_console/_audit`);
    await page.getByRole('button', { name: 'backup.restore' }).click();
    await page.getByRole('button', { name: 'Remove backup.restore' }).waitFor();
    const rows = page.getByRole('main').getByRole('row');
    await rows.nth(2).waitFor({ state: 'detached' }); // what was there before goes once the answer has come
    assert.equal(await rows.count(), 2);
    await done(page);
  });

  it('goes back in the audit as far as there is any', async () => {
    assert.ok(world);
    const page = await world.open();
    const entries = Array.from({ length: 2500 }, (_, n) => ({
      ...{ _id: `entry${n}`, at: '2026-01-31T12:00:00.000Z', actor: 'ann@example.com', action: 'key.create' },
      ...{ project: 'shop', target: `key${n}`, address: null, outcome: 'done', requestId: null },
    }));
    await intercept(page, '**/_admin/audit?*', (route) => {
      const asked = new URL(route.request().url()).searchParams;
      const [at, perPage] = [Number(asked.get('page') ?? 1), Number(asked.get('perPage'))];
      assert.ok(perPage <= 1000);
      const found = entries.slice((at - 1) * perPage, at * perPage);
      return route.fulfill({ json: { ok: true, result: { page: at, perPage, total: 2500, found } } });
    });
    await world.go(page, '/_audit');
    for (const shown of ['50', '100', '200', '400', '800', '2,000']) {
      await page.getByText(`${shown} of 2,500`).waitFor();
      await page.getByRole('button', { name: 'Show more' }).click();
    }
    await page.getByText('key2499').waitFor();
    assert.equal(await page.getByText('of 2,500').count(), 0);
    await done(page);
  });

  it('renames a field and adds another, after seeing what that does', async () => {
    assert.ok(world);
    const page = await world.at('/shop/brands/_definition');
    await page.getByRole('region', { name: 'Field country' }).getByLabel('Name').fill('land');
    await page.getByText('renamed from country').waitFor();
    await page.getByRole('button', { name: 'Add field' }).click();
    await page.getByRole('region', { name: 'Field field3' }).getByLabel('Name').fill('founded');
    await page.getByRole('region', { name: 'Field founded' }).getByLabel('Type').selectOption('number');
    await page.reload();
    await page.getByText('This is your draft').waitFor();
    await page.getByRole('button', { name: 'Review changes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('country is renamed to land').waitFor();
    await dialog.getByText('founded is added').waitFor();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Saved Brands').waitFor();
    const { fields } = await world.admin.project('shop').collections.view('brands');
    assert.deepEqual(Object.keys(fields ?? {}), ['name', 'land', 'founded']);
    await done(page);
  });

  it('is told at the field what is wrong with a definition, and what would be lost', async () => {
    assert.ok(world);
    const page = await world.at('/shop/products/_definition');
    const price = page.getByRole('region', { name: 'Field price' });
    await price.getByText('Rules').click();
    await price.getByLabel('Maximum').fill('-1');
    await page.getByRole('button', { name: 'Review changes' }).click();
    await price.getByText('must not be above max').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Remove tags' }).click();
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('dialog', { name: 'Values will be lost' }).getByText('30 records').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await done(page);
  });

  it('writes a definition as JSON, and the form follows', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_new');
    const json = page.getByRole('textbox', { name: 'The definition as JSON' });
    await json.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(
      '{"id": "notes", "fields": {"text": {"type": "content", "required": true}}}',
    );
    await page.getByRole('region', { name: 'Field text' }).waitFor();
    await page.getByRole('button', { name: 'Create collection' }).click();
    await page.getByText('No records yet').waitFor();
    await done(page);
  });

  it('closes a collection to the public, for all at once', async () => {
    assert.ok(world);
    const page = await world.at('/shop/_access');
    await page.getByRole('combobox', { name: 'Brands: Create' }).selectOption('user');
    await page.getByRole('combobox', { name: 'Brands: Delete' }).selectOption('off');
    await page.goto(`${world.base}/_console/shop/brands/_access`);
    assert.equal(
      await page.getByLabel('Delete is on').isChecked(),
      false,
      'kept on the way to another screen',
    );
    await page.goBack();
    const here = Promise.withResolvers<void>();
    await intercept(page, '**/collections?*', (route) => here.promise.then(() => route.continue()));
    await page.reload();
    await page.getByText('1 collection changed').waitFor();
    const save = page.getByRole('button', { name: 'Save' });
    assert.ok(await save.isDisabled(), 'what is changed is not here yet');
    here.resolve();
    await save.click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const { api } = await world.admin.project('shop').collections.view('brands');
    assert.deepEqual(api?.methods, { create: { access: 'user' }, delete: { enabled: false } });
    await done(page);
  });

  it('imports the good rows of a file', async () => {
    assert.ok(world);
    const page = await world.at('/shop/products/_import');
    const choose = (text: string) =>
      page
        .getByLabel('File')
        .setInputFiles({ name: 'x.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await choose('Title;price;note\nLamp;5;a\n;6;b\nRug;x;c\n"Chair; red";7;d\n');
    await page.getByRole('button', { name: 'Check all rows' }).click();
    await page.getByText('title: is required').waitFor();
    await page.getByText("price: must be a number, not 'x'").waitFor();
    await page.getByRole('button', { name: 'Import the 2 good rows only' }).click();
    await page.getByText('Done: 2 records are imported.').waitFor();
    const records = world.admin.records('shop').collection('products');
    assert.equal((await records.list({ search: 'red' })).total, 1);
    await page.getByRole('button', { name: 'Import another file' }).click();
    const many = Array.from({ length: 1200 }, (_, at) => `Row ${at},${at === 1100 ? -1 : 1}`).join('\n');
    await choose(`title,price\n${many}\n`);
    await page.getByRole('button', { name: 'Check all rows' }).click();
    await page.getByText('price: must be at least 0').waitFor();
    await page.getByRole('button', { name: 'Import the 1,199 good rows only' }).waitFor();
    assert.equal((await records.list()).total, 32);
    await done(page);
  });

  it('imports relations by the names of the records, and tells before which of them are not there', async () => {
    assert.ok(world);
    const { collections } = world.admin.project('shop');
    await collections.create({ id: 'makers', name: 'Makers', fields: { name: { type: 'text' } } });
    const relation = { type: 'relation', to: 'makers' } as const;
    await collections.create({
      id: 'cups',
      fields: { title: { type: 'text' }, maker: relation, others: { ...relation, kind: 'multiple' } },
    });
    const shop = world.admin.records('shop');
    const { created } = await shop.collection('makers').batch((batch) => {
      for (const name of ['Ito', 'Kato, Ltd', 'Twin', 'Twin']) batch.create({ name });
    });
    const [ito, kato] = created.map(({ _id }) => _id);
    const page = await world.at('/shop/cups/_import');
    const text = `title,maker,others\nA,Ito,"Ito,${kato}"\nB,"Kato, Ltd",\nC,Nobody,\nD,Twin,\nE,,\n`;
    await page
      .getByLabel('File')
      .setInputFiles({ name: 'cups.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await page.getByRole('button', { name: 'Check all rows' }).click();
    await page.getByText("maker: no record of Makers is called 'Nobody'").waitFor();
    await page.getByText("maker: several records of Makers are called 'Twin'").waitFor();
    await page.getByRole('button', { name: 'Import the 3 good rows only' }).click();
    await page.getByText('Done: 3 records are imported.').waitFor();
    const cups = (await shop.collection('cups').list({ sort: ['title'] })).found;
    assert.deepEqual(
      cups.map(({ maker, others }) => [maker, others]),
      [
        [ito, [ito, kato]],
        [kato, []],
        [null, []],
      ],
    );
    await done(page);
  });

  it('goes on with an import after a broken connection and a reload, and writes nothing twice', async () => {
    assert.ok(world);
    await world.admin.project('shop').collections.create({ id: 'rows', fields: { title: { type: 'text' } } });
    const records = world.admin.records('shop').collection('rows');
    const lines = Array.from({ length: 2500 }, (_, at) => `Row ${at}`).join('\n');
    const page = await world.at('/shop/rows/_import');
    const choose = () =>
      page.getByLabel('File').setInputFiles({
        name: 'many.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(`title\n${lines}\n`),
      });
    let sent = 0;
    // The second batch is written, and its answer is lost.
    await intercept(page, '**/v1/shop/rows/batch', async (route) => {
      sent += 1;
      if (sent > 1) await route.fetch();
      await (sent > 1 ? route.abort() : route.continue());
    });
    await choose();
    await page.getByRole('button', { name: 'Check all rows' }).click();
    await page.getByRole('button', { name: 'Import 2,500 rows' }).click();
    await page.getByText('1,000 records were written, and stay').waitFor();
    assert.equal((await records.list()).total, 2000);
    await page.unroute('**/v1/shop/rows/batch');
    await page.reload();
    await page.getByText('1,000 of 2,500 rows are written').waitFor();
    await choose();
    await page.getByRole('button', { name: 'Check all rows' }).click();
    await page.getByRole('button', { name: 'Continue after 1,000 rows' }).click();
    await page.getByText('Done: 2,500 records are imported.').waitFor();
    assert.equal((await records.list()).total, 2500);
    await page.reload();
    await page.getByRole('button', { name: 'Discard it' }).waitFor({ state: 'detached' });

    // What may have been written is taken back too.
    await intercept(page, '**/v1/shop/rows/batch', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await choose();
    await page.getByRole('button', { name: 'Check all rows' }).click();
    await page.getByRole('button', { name: 'Import 2,500 rows' }).click();
    await page.getByRole('button', { name: 'Delete what was written' }).waitFor();
    assert.equal((await records.list()).total, 3500);
    await page.unroute('**/v1/shop/rows/batch');
    await page.getByRole('button', { name: 'Delete what was written' }).click();
    await page.getByText('Nothing was imported').waitFor();
    assert.equal((await records.list()).total, 2500);
    await done(page);
  });

  it('imports what was exported as XLSX: numbers, flags, moments and lists come back as they were', async () => {
    assert.ok(world);
    const fields = {
      title: { type: 'text' },
      price: { type: 'number' },
      inStock: { type: 'boolean' },
      releasedAt: { type: 'datetime' },
      tags: { type: 'list', of: { type: 'text' } },
    };
    await world.admin.project('shop').collections.create({ id: 'originals', fields });
    await world.admin.project('shop').collections.create({ id: 'copies', fields });
    const shop = world.admin.records('shop');
    const rows = [
      {
        title: 'Ünï <&> 茶',
        price: 1234.5,
        inStock: true,
        releasedAt: '2026-02-03T04:05:06.000Z',
        tags: ['a', 'b'],
      },
      { title: '=1+1', price: -2, inStock: false, releasedAt: '1999-12-31T23:59:59.000Z', tags: [] },
      { title: 'nothing', price: null, inStock: null, releasedAt: null, tags: [] },
    ];
    await shop.collection('originals').batch((batch) => {
      for (const row of rows) batch.create(row);
    });
    const names = Object.keys(fields);
    const file = await shop.collection('originals').export('xlsx', { fields: names });
    const page = await world.at('/shop/copies/_import');
    const buffer = Buffer.from(await file.arrayBuffer());
    await page
      .getByLabel('File')
      .setInputFiles({ name: 'x.xlsx', mimeType: 'application/octet-stream', buffer });
    await page.getByRole('button', { name: 'Check all rows' }).click();
    await page.getByRole('button', { name: 'Import 3 rows' }).click();
    await page.getByText('Done: 3 records are imported.').waitFor();
    const copies = (await shop.collection('copies').list({ fields: names })).found;
    const plain = copies.map((copy) => Object.fromEntries(names.map((name) => [name, copy[name]])));
    assert.deepEqual(plain, rows);
    await done(page);
  });

  it('makes a collection like another one', async () => {
    assert.ok(world);
    const page = await world.at('/shop/brands/_definition');
    await page.getByRole('button', { name: 'Duplicate' }).first().click();
    assert.equal(await page.getByLabel('Id', { exact: true }).inputValue(), 'brands-copy');
    await page.getByRole('button', { name: /^Create/ }).click();
    await page.getByText('No records yet').waitFor();
    const { collections } = world.admin.project('shop');
    assert.deepEqual(
      (await collections.view('brands-copy')).fields,
      (await collections.view('brands')).fields,
    );
    await done(page);
  });

  it('keeps what was typed where a save is not answered, or refused in the middle, and saves it then', async () => {
    assert.ok(world);
    const page = await world.open();
    const isSave = (method: string) => method !== 'GET';
    const refused = 'Nobody knows whether this was done: look before you send it again';
    /** `begin` brings the screen to where `save` sends; `saved` is there once it is. */
    const tryTwice = async (place: string, begin: () => Promise<unknown>, action: string, saved: string) => {
      await world?.go(page, place);
      await begin();
      const within = page.locator('dialog[open], main').last();
      await intercept(page, '**/v1/**', (route) =>
        isSave(route.request().method())
          ? route.fulfill({ status: 503, json: { ok: false, error: refused } })
          : route.continue(),
      );
      await within.getByRole('button', { name: action, exact: true }).click();
      await page.getByRole('alert').getByText(refused).waitFor();
      await page.unrouteAll();
      await intercept(page, '**/v1/**', (route) =>
        isSave(route.request().method()) ? route.abort() : route.continue(),
      );
      await within.getByRole('button', { name: action, exact: true }).click();
      await page
        .getByRole('alert')
        .getByText(/No answer/)
        .first()
        .waitFor();
      await page.unrouteAll();
      await within.getByRole('button', { name: action, exact: true }).click();
      await page.getByText(saved).first().waitFor();
    };
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await tryTwice(
      '/shop/_settings',
      () => page.getByLabel('Sender').fill('The shop'),
      'Save',
      'Settings saved',
    );
    await tryTwice(
      '/shop/products/_access',
      () => page.getByLabel('Level of Update').selectOption('public'),
      'Save',
      'Saved',
    );
    await tryTwice(
      '/shop/_new',
      async () => {
        await page.getByLabel('Name', { exact: true }).fill('Papers');
        assert.equal(await page.getByLabel('Id', { exact: true }).inputValue(), 'papers');
        await press('Add field');
      },
      'Create collection',
      'No records yet',
    );
    await tryTwice(
      '/shop/papers/_definition',
      async () => {
        await press('Add field');
        await press('Review changes');
      },
      'Apply',
      'Saved Papers',
    );
    await tryTwice(
      '/shop/_keys',
      async () => {
        await press('New key');
        await page.getByLabel('What it is for').fill('Try');
      },
      'Create',
      'Copy the key now',
    );
    await tryTwice(
      '/shop/_workspaces',
      async () => {
        await press('New workspace');
        await page.getByLabel('Name').fill('East');
      },
      'Create',
      'Created the workspace East',
    );
    await tryTwice(
      '/shop/_webhooks',
      async () => {
        await press('New webhook');
        await page.getByLabel('Name').fill('Log');
        await page.getByLabel('Address').fill('https://log.invalid/hook');
      },
      'Create',
      'The secret',
    );
    await done(page);
  });

  it('is told why a screen waits or does not come, and finds it then', async () => {
    assert.ok(world);
    const page = await world.at('/shop');
    await page.getByRole('heading', { name: 'Collections' }).waitFor();
    await intercept(page, '**/_assets/*', (route) => route.abort());
    await page.getByRole('link', { name: 'Users' }).click();
    const told = page.getByText('This screen could not be loaded');
    await told.waitFor();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Try again' }).click();
    await told.waitFor(); // and not what the browser says where nobody answers
    await page.context().setOffline(false);
    await page.unrouteAll();
    let times = 0;
    await intercept(page, '**/users?*', (route) => {
      times += 1;
      const error = 'Too many requests';
      return times > 1
        ? route.continue()
        : route.fulfill({ status: 429, headers: { 'retry-after': '2' }, json: { ok: false, error } });
    });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The server is busy: trying again in 2 seconds.').waitFor();
    await page.getByRole('cell', { name: /@/ }).first().waitFor();
    await done(page);
  });

  it('is told of another try only where there is one', async () => {
    assert.ok(world);
    const page = await world.at('/shop');
    await page.getByRole('heading', { name: 'Collections' }).waitFor();
    let times = 0;
    await intercept(page, '**/users?*', (route) => {
      times += 1;
      const error = 'Too many requests';
      return route.fulfill({ status: 429, headers: { 'retry-after': '2' }, json: { ok: false, error } });
    });
    await page.getByRole('link', { name: 'Users' }).click();
    const told = page.getByText('The server is busy: trying again in 2 seconds.');
    await told.waitFor();
    await page.getByRole('main').getByText('Too many requests').waitFor();
    assert.equal(times, 3);
    assert.equal(await told.count(), 0);
    await page.unrouteAll();
    await done(page);
  });

  it('goes anywhere with Ctrl K', async () => {
    assert.ok(world);
    const [record] = (await world.admin.records('shop').collection('products').list({ perPage: 1 })).found;
    const page = await world.at('/shop');
    await page.getByRole('heading', { name: 'Collections' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('server k');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Server keys' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(String(record?._id));
    await page.getByRole('option', { name: /Record in Products/ }).click();
    await page.getByRole('complementary', { name: 'Record' }).waitFor();
    await done(page);
  });
});
