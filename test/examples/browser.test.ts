import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { skipWithout, startBrowser } from '../browser.ts';
import { bundle, startLibrary, startPages } from './world.ts';

const browser = await startBrowser();

describe('examples in a browser', { skip: skipWithout(browser), timeout: 280_000 }, () => {
  let library: Awaited<ReturnType<typeof startLibrary>>;
  before(async () => {
    library = await startLibrary();
  });
  after(async () => {
    await browser?.close();
    await library?.stop();
  });
  const open = async (url: string) => {
    const page = await browser?.newPage();
    assert.ok(page);
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (error) => assert.fail(error));
    await page.goto(`${url}?server=${encodeURIComponent(library.url)}`);
    return page;
  };

  it('a plain HTML page shows books, page by page, and searches', async () => {
    const { records } = library;
    await records.batch((b) => {
      const author = b.authors.create({ name: 'Jane Austen' });
      b.books.create({ title: 'Emma', author, year: 1815 });
      for (let index = 0; index < 15; index++)
        b.books.create({ title: `Volume ${String(index).padStart(2, '0')}` });
    });
    const pages = await startPages('examples/page', {
      '/node_modules/vitrine/lib/client/client.js': bundle('client/client.ts'),
    });
    const page = await open(pages.url);
    const items = page.locator('#books li');
    await page.waitForFunction(() => document.querySelectorAll('#books li').length === 10);
    assert.equal(await items.first().textContent(), 'Emma, Jane Austen');
    // Twice, though there is one page more: an error of the second would end the test.
    await page.locator('#more').evaluate((button: HTMLButtonElement) => {
      button.click();
      button.click();
    });
    await page.waitForFunction(() => document.querySelectorAll('#books li').length === 16);
    await page.waitForTimeout(100);
    assert.ok(await page.locator('#more').isHidden());
    await page.locator('#search').pressSequentially('emma');
    await page.waitForFunction(() => document.querySelectorAll('#books li').length === 1);
    await page.fill('#search', 'nothing like that');
    await page.waitForFunction(() => document.querySelector('#message')?.textContent === 'Nothing found');
    await page.close();
    pages.close();
  });

  it('a React app signs in, adds, tells what is wrong, and changes', async () => {
    const pages = await startPages('examples/react', { '/main.tsx': bundle('examples/react/main.tsx') });
    const page = await open(pages.url);
    await page.getByLabel('Email').fill('ann@example.com');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('Signed in as ann@example.com').waitFor();
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('The title is required').waitFor();
    for (const title of ['Emma', 'Ulysses']) {
      await page.getByLabel('Title').fill(title);
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByText(title).waitFor();
    }
    await page.getByLabel('Emma').click();
    await page.waitForFunction(() => document.querySelector('li:last-child input:checked'));
    const { found } = await library.records.wishes.list({ sort: 'title' });
    assert.deepEqual(
      found.map(({ title, done }) => [title, done]),
      [
        ['Emma', true],
        ['Ulysses', false],
      ],
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    const ann = { email: 'ann@example.com', password: 'correct horse' };
    const [code = ''] = await library.addFactor(ann);
    await page.getByLabel('Email').fill(ann.email);
    await page.getByLabel('Password').fill(ann.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Code').fill('000000');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Signed in as ann@example.com').waitFor();
    await page.close();
    pages.close();
  });
});
