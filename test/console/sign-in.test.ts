import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { totpCode } from '../../src/access/totp.ts';
import { skipWithout } from '../browser.ts';
import { assertAccessible, done, startConsole } from './world.ts';

const world = await startConsole({ withKey: false });
const skip = skipWithout(world?.browser);
const email = 'ann@example.com';
const password = 'correct horse';
after(() => world?.close());

describe('the console', { skip }, () => {
  it('is where the set-up link leads, which ends signed in, with an empty instance to begin with', async () => {
    assert.ok(world);
    const page = await world.open();
    await page.goto(world.setupLink);
    await page.getByRole('heading', { name: 'Set up Vitrine' }).waitFor();
    await assertAccessible(page, 'set-up');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create the administrator' }).click();
    await page.getByRole('heading', { name: 'No project yet' }).waitFor();
    assert.equal(new URL(page.url()).hash, '', 'the token is not in the address any more');
    await page.getByRole('main').getByRole('button', { name: 'New project' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New project' });
    await dialog.getByLabel('Name').fill('My Shop');
    assert.equal(await dialog.getByLabel('Id').inputValue(), 'my-shop');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'No collection yet' }).waitFor();
    await page.goto(world.setupLink);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create the administrator' }).click();
    await page.getByRole('alert').getByText('The set-up link was used').waitFor();
    await done(page);
  });

  it('asks for email and password, says one thing for whatever is wrong, and signs out', async () => {
    assert.ok(world);
    const page = await world.open();
    await page.goto(`${world.base}/_console/my-shop`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await assertAccessible(page, 'sign-in');
    await page.keyboard.type(email);
    assert.equal(await page.getByLabel('Email').inputValue(), email);
    await page.getByLabel('Password').fill('wrong password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(password);
    await page.getByLabel('Password').press('Enter');
    await page.getByRole('heading', { name: 'No collection yet' }).waitFor();
    assert.match(page.url(), /\/my-shop$/, 'where it was on the way to');
    await page.getByRole('button', { name: email }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    await done(page);
  });

  it('asks for a code too, once a second factor is on, and no more when it is off', async () => {
    assert.ok(world);
    const page = await world.open();
    const signIn = async () => {
      await page.goto(`${world.base}/_console/`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    const choose = async (item: string) => {
      await page.getByRole('button', { name: email }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await signIn();
    await choose('Second factor');
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    await assertAccessible(page, 'a second factor');
    const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue();
    await page.keyboard.type(totpCode(secret, Math.floor(Date.now() / 30_000)));
    await page.getByRole('button', { name: 'Turn on' }).click();
    const codes = (
      await page.getByRole('region', { name: 'Recovery codes' }).locator('pre').innerText()
    ).split('\n');
    assert.equal(codes.length, 10);
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await choose('Sign out');
    await signIn();
    await page.getByLabel('Code from your').fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await choose('Second factor');
    await page.getByLabel('Password').fill(password);
    await page.getByLabel('recovery code').fill('000000');
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('is wrong, too old or was used before').waitFor();
    await page.getByLabel('recovery code').fill(codes[1] ?? '');
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('no longer asks for a code').waitFor();
    await done(page);
  });

  it('gives the sign-in to a new tab and takes it from all; nothing of it outlives the browser', async () => {
    assert.ok(world);
    const page = await world.open();
    await page.goto(`${world.base}/_console/`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'My Shop' }).waitFor();
    const kept = await page.evaluate(() => JSON.stringify(localStorage) + document.cookie);
    assert.doesNotMatch(kept, /va_/);
    const tab = await page.context().newPage();
    await tab.goto(`${world.base}/_console/`);
    await tab.getByRole('link', { name: 'My Shop' }).waitFor();
    await tab.getByRole('button', { name: email }).click();
    await tab.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await done(page);
  });

  it('hides what it shows when nothing was done for 30 minutes, and goes on where it was', async () => {
    assert.ok(world);
    const page = await world.open();
    await page.clock.install();
    await page.goto(`${world.base}/_console/my-shop/_settings`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Typed before the break');
    await page.clock.fastForward('31:00');
    const gate = page.getByRole('dialog', { name: 'You have been signed out' });
    await gate.waitFor();
    assert.ok(!(await page.getByLabel('Name').isVisible()));
    await assertAccessible(page, 'signed out');
    assert.equal(await gate.getByLabel('Email').inputValue(), email);
    await page.keyboard.press('Escape');
    await gate.getByLabel('Password').fill(password);
    await gate.getByRole('button', { name: 'Sign in' }).click();
    await gate.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Typed before the break');
    await done(page);
  });
});
