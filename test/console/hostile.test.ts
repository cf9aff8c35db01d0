import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithout } from '../browser.ts';
import { done, startConsole } from './world.ts';

/** Whatever a stranger can write holds markup, scripts and formulas: it is shown as it is, and nothing of it runs. */
const evil = `"><img src=x onerror="window.ran=1"><script>window.ran=2</script>'\`\${1}=cmd|'/c'!A0`;
const link = 'javascript:window.ran=3';

const world = await startConsole();
const skip = skipWithout(world?.browser);
after(() => world?.close());

before(async () => {
  if (!world) return;
  const { admin } = world;
  await admin.projects.create({ id: 'evil', name: evil });
  const project = admin.project('evil');
  await project.collections.create({
    id: 'targets',
    name: evil,
    fields: { name: { type: 'text', label: evil, description: evil } },
  });
  await project.collections.create({
    id: 'things',
    name: evil,
    fields: {
      name: { type: 'text', label: evil, description: evil },
      choice: { type: 'text', options: [evil, 'good'] },
      body: { type: 'content' },
      homepage: { type: 'url' },
      tags: { type: 'list', of: { type: 'text' } },
      target: { type: 'relation', to: 'targets', kind: 'single' },
    },
  });
  const records = admin.records('evil');
  const target = await records.collection('targets').create({ name: evil });
  await records.collection('things').create({
    name: evil,
    choice: evil,
    body: `# ${evil}\n\n[click](${link}) <iframe src="${link}"></iframe> ![x](${link})`,
    homepage: 'https://example.com/?<script>',
    tags: [evil, link, '=1+1'],
    target: target._id,
  });
  await records.collection('things').create({ name: 'x'.repeat(100_000), body: 'y '.repeat(300_000) });
});

const quiet = async (page: Page) => {
  await page.waitForTimeout(150);
  assert.equal(await page.evaluate(() => (window as unknown as { ran?: number }).ran), undefined);
  const [wide, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(Number(wide) <= Number(width), 'nothing breaks the layout');
};

describe('what strangers write', { skip }, () => {
  it('runs nowhere, and breaks nothing', async () => {
    assert.ok(world);
    for (const path of [
      '/',
      '/evil',
      '/evil/_settings',
      '/evil/things',
      '/evil/targets',
      '/evil/_access',
      '/evil/_relations',
    ]) {
      const page = await world.at(path);
      await page.getByText('window.ran=1').first().waitFor();
      await quiet(page);
      await done(page);
    }
  });

  it('runs in no form, preview or dialog', async () => {
    assert.ok(world);
    const page = await world.at('/evil/things');
    await page.getByRole('row').nth(1).getByRole('gridcell').nth(1).click();
    const panel = page.getByRole('complementary', { name: 'Record' });
    await panel.getByRole('button', { name: 'Preview' }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByText('click').click();
    assert.equal(await frame.locator('script, iframe, img[onerror]').count(), 0);
    await quiet(page);
    await panel.getByRole('tab', { name: 'JSON' }).click();
    await panel.getByRole('textbox', { name: 'The record as JSON' }).waitFor();
    await quiet(page);
    await panel.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('No other record').waitFor();
    await quiet(page);
    await page.keyboard.press('Escape');
    await page.goto(`${world.base}/_console/evil/things?name=${encodeURIComponent(evil)}&sort=-name`);
    await page.getByText('1 record', { exact: true }).waitFor();
    await quiet(page);
    await page.goto(
      `${world.base}/_console/evil/things?search=${encodeURIComponent(evil)}&${encodeURIComponent(evil)}=1`,
    );
    await page.getByRole('alert').waitFor();
    await quiet(page);
    await done(page);
  });

  it('may be long: a list shows the beginning, a record all of it', async () => {
    assert.ok(world);
    const page = await world.at('/evil/things?sort=-_createdAt&fields=name,body');
    await page.getByText('2 records').waitFor();
    await quiet(page);
    const letters = await page.getByRole('grid').evaluate((element) => element.textContent?.length ?? 0);
    assert.ok(letters < 5_000, `${letters} letters`);
    await page.getByRole('row').nth(1).getByRole('gridcell').nth(1).click();
    const body = page.getByRole('complementary', { name: 'Record' }).getByRole('textbox', { name: 'body' });
    assert.equal((await body.inputValue()).length, 600_000);
    await done(page);
  });
});
