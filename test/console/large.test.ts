import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { bestOf } from '../best-of.ts';
import { skipWithout } from '../browser.ts';
import { intercept } from '../intercept.ts';
import { done, startConsole } from './world.ts';

const world = await startConsole();
const skip = skipWithout(world?.browser);
after(() => world?.close());

const fields = 200;
const collections = 1_000;
/** A million in the long form: to write them takes minutes. */
const records = process.env.VITRINE_LONG === '1' ? 1_000_000 : 3_000;
const names = Array.from({ length: fields }, (_, n) => `field${n}`);

before(async () => {
  if (!world) return;
  const { admin } = world;
  await admin.projects.create({ id: 'much' });
  const project = admin.project('much');
  const texts = Object.fromEntries(names.map((name) => [name, { type: 'text' }]));
  await project.collections.create({ id: 'wide', fields: texts });
  await project.collections.create({
    id: 'long',
    fields: Object.fromEntries(names.slice(0, 8).map((name) => [name, { type: 'text' }])),
  });
  const fill = async (collection: string, of: readonly string[], count: number) => {
    const values = Object.fromEntries(of.map((name, n) => [name, `value ${n}`]));
    for (let at = 0; at < count; at += 1000) {
      await admin
        .records('much')
        .collection(collection)
        .batch((batch) => {
          for (let n = at; n < Math.min(count, at + 1000); n += 1)
            batch.create({ ...values, field0: `Record ${n}` });
        });
    }
  };
  await fill('wide', names, 500);
  await fill('long', names.slice(0, 8), records);
  const heavy = { field0: 'heavy', field1: 'x'.repeat(900_000) };
  await admin.records('much').collection('wide').create(heavy);
});

/** Gives the milliseconds that the page's own thread has worked: what others do on the machine meanwhile is not in it. */
async function workOf(page: Page): Promise<() => Promise<number>> {
  const debug = await page.context().newCDPSession(page);
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await debug.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
}

/** Milliseconds that the server has worked. */
async function serverWork(): Promise<number> {
  const text = (await world?.admin.metrics()) ?? '';
  return 1000 * Number(/^process_cpu_seconds_total (.+)$/m.exec(text)?.[1]);
}

/** Fifty frames a second leave this much for each. */
const longestFrame = 20;

/** Milliseconds for a frame while the list at an address is scrolled through: the least of some tries. */
function workOfFrame(path: string, right: number, down: number): Promise<number> {
  return bestOf(async () => {
    assert.ok(world);
    const page = await world.at(path);
    await page.getByRole('gridcell', { name: 'Record 0', exact: true }).waitFor();
    const work = await scrolling(page, right, down);
    await done(page);
    return work;
  }, longestFrame);
}

async function scrolling(page: Page, right: number, down: number): Promise<number> {
  const worked = await workOf(page);
  const before = await worked();
  const frames = 90;
  await page.getByRole('grid').evaluate(
    (grid, [x = 0, y = 0, count = 0]) =>
      new Promise<void>((resolve) => {
        let left = count;
        const step = () => {
          grid.scrollBy(x, y);
          left -= 1;
          if (left > 0) requestAnimationFrame(step);
          else resolve();
        };
        requestAnimationFrame(step);
      }),
    [right, down, frames],
  );
  return ((await worked()) - before) / frames;
}

describe('much', { skip }, () => {
  it('the first rows are there 300 ms after the address was opened', async () => {
    assert.ok(world);
    const times: number[] = [];
    const works: number[] = [];
    // The best of some. On a machine that is busy with others no time is short: then it is what this takes of the processor,
    // in the page and in the server, that has to fit.
    for (let n = 0; n < 8 && Math.min(...times) > 300; n += 1) {
      const page = await world.open();
      await page.addInitScript(() => {
        const look = () => document.querySelector('.grid-body [role=row]') && performance.mark('first rows');
        new MutationObserver((_, observer) => look() && observer.disconnect()).observe(document, {
          childList: true,
          subtree: true,
        });
      });
      const worked = await workOf(page);
      const before = await serverWork();
      await world.go(page, '/much/long');
      await page.getByRole('gridcell', { name: 'Record 0', exact: true }).waitFor();
      works.push((await worked()) + (await serverWork()) - before);
      times.push(await page.evaluate(() => performance.getEntriesByName('first rows')[0]?.startTime ?? 0));
      await done(page);
    }
    const told = (all: readonly number[]) => all.map(Math.round).join(', ');
    console.log(`first rows of ${records}: ${told(times)} ms, of which work ${told(works)} ms`);
    assert.ok(Math.min(...times, ...works) <= 300, `${times}, ${works}`);
  });

  it('200 fields, all of them shown, are scrolled through', async () => {
    const work = await workOfFrame(`/much/wide?fields=${names.join(',')}`, 40, 60);
    console.log(`200 columns: ${work.toFixed(1)} ms of work for a frame while scrolling`);
    assert.ok(work < longestFrame, `${work} ms`);
  });

  it('a list of eight columns is scrolled through', async () => {
    const work = await workOfFrame('/much/long', 0, 100);
    console.log(`8 columns: ${work.toFixed(1)} ms of work for a frame while scrolling`);
    assert.ok(work < longestFrame, `${work} ms`);
  });

  it('a value of a megabyte is shown in a list and opened', async () => {
    assert.ok(world);
    const page = await world.at('/much/wide?sort=-_createdAt');
    await page.getByRole('gridcell', { name: 'heavy', exact: true }).click();
    const panel = page.getByRole('complementary', { name: 'Record' });
    await panel.getByRole('textbox', { name: 'field0' }).waitFor();
    const [wide, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(Number(wide) <= Number(width));
    await done(page);
  });

  it('of a thousand collections one is found by its name', async () => {
    assert.ok(world);
    // Made up: to create so many takes minutes.
    const found = Array.from({ length: collections }, (_, n) => ({ id: `collection${n}`, fields: {} }));
    const page = await world.at('/');
    await intercept(page, '**/collections?*', (route) =>
      route.fulfill({ json: { ok: true, result: { page: 1, perPage: 1000, total: collections, found } } }),
    );
    await page.goto(`${world.base}/_console/much`);
    await page.getByRole('heading', { name: 'Collections' }).waitFor();
    const main = page.getByRole('main');
    await main.getByText(`${collections - 200} more: find them by name`).waitFor();
    await main.getByRole('searchbox', { name: 'Filter collections' }).fill('collection777');
    await main.getByRole('link', { name: /collection777/ }).waitFor();
    await main.getByRole('row').nth(2).waitFor({ state: 'detached' });
    assert.equal(await main.getByRole('row').count(), 2);
    await done(page);
  });
});
