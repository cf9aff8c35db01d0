import type { Page } from 'playwright-core';

const probe = '/intercepted';

/**
 * `page.route`, that holds when it returns. A page that is open already may send requests past it for some milliseconds, which
 * nobody hears of: so one is sent until it does not get through.
 */
export async function intercept(page: Page, ...[url, handler]: Parameters<Page['route']>): Promise<void> {
  await page.route(url, handler);
  if (page.url() === 'about:blank') return;
  await page.route(`**${probe}`, (route) => route.fulfill({ status: 204 }));
  const ask = () => page.evaluate(async (path) => (await fetch(path)).status, probe);
  while ((await ask()) !== 204);
  await page.unroute(`**${probe}`);
}
