import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createAdmin } from '../../client/admin.ts';
import { printed, serving, vitrine } from '../auth/process.ts';
import { startBrowser } from '../browser.ts';
import { startStorage } from '../storage.ts';

export const adminKey = 'a-key-for-the-console';

export interface PageOptions {
  readonly dark?: boolean;
  readonly phone?: boolean;
}

/** The product's own process with a browser in front of it. */
export interface ConsoleWorld {
  readonly browser: Browser;
  readonly base: string;
  readonly admin: ReturnType<typeof createAdmin>;
  /** Of an instance that has no administrator. */
  readonly setupLink: string;
  open(options?: PageOptions): Promise<Page>;
  /** Signs a page in, and brings it to a place of the console. */
  go(page: Page, path: string): Promise<void>;
  /** A new page, signed in, at a place of the console. */
  at(path: string, options?: PageOptions): Promise<Page>;
  close(): Promise<void>;
}

/** What a page did that it must not: broke its policy, threw, or asked another host. */
const faults = new WeakMap<BrowserContext, string[]>();

export async function startConsole({
  withKey = true,
  demo = false,
}: {
  withKey?: boolean;
  demo?: boolean;
} = {}): Promise<ConsoleWorld | undefined> {
  const browser = await startBrowser();
  if (!browser) return undefined;
  const storage = await startStorage();
  const environment: Record<string, string> = withKey ? { VITRINE_ADMIN_KEY: adminKey } : {};
  const server = vitrine(['serve', '--port', '0', ...(demo ? ['--demo'] : []), ...storage.flags], {
    environment,
  });
  const base = await serving(server);
  const setupLink = withKey ? '' : await printed(server, /(http:\S+\/_console\/setup#\S+)/);
  const open = async ({ dark = false, phone = false }: PageOptions = {}) => {
    const context = await browser.newContext({
      locale: 'en-US',
      timezoneId: 'Europe/Berlin',
      colorScheme: dark ? 'dark' : 'light',
      viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 800 },
      ...(phone && { isMobile: true, hasTouch: true }),
    });
    return watched(context, base);
  };
  const go = async (page: Page, path: string) => {
    await page.addInitScript(signInScript, [`vitrine ${base}/_console/`, adminKey]);
    await page.goto(`${base}/_console${path}`);
  };
  return {
    browser,
    base,
    setupLink,
    admin: createAdmin(base, { token: adminKey }),
    open,
    go,
    async at(path, options) {
      const page = await open(options);
      await go(page, path);
      return page;
    },
    async close() {
      await browser.close();
      server.child.kill('SIGTERM');
      await server.exit;
      await storage.remove();
    },
  };
}

const signInScript = ([key = '', token = '']: readonly string[]) => {
  if (window !== top) return; // a preview has no storage
  if (!sessionStorage.getItem(key)) sessionStorage.setItem(key, JSON.stringify({ token, email: null }));
};

async function watched(context: BrowserContext, base: string): Promise<Page> {
  context.setDefaultTimeout(120_000);
  const seen: string[] = [];
  faults.set(context, seen);
  context.on('page', (page) => {
    page.on('pageerror', (error) => seen.push(`threw ${error.message}`));
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) seen.push(message.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(base) && !url.startsWith('data:') && !url.startsWith('about:'))
        seen.push(`asked ${url}`);
    });
  });
  return context.newPage();
}

/** What was done in this page so far kept to its policy. */
export const assertKept = (page: Page) => assert.deepEqual(faults.get(page.context()), []);

/** Ends the page, which must have kept to its policy. */
export async function done(page: Page): Promise<void> {
  await page.context().close();
  assertKept(page);
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
  }[];
}

/** By the menu of a list. */
export async function viewAsNobody(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'View as …' }).click();
  const dialog = page.getByRole('dialog', { name: 'View as …' });
  await dialog.getByLabel('Who').selectOption('nobody');
  await dialog.getByRole('button', { name: 'View', exact: true }).click();
  await page.getByText('You see the records as anybody without a token does').waitFor();
}

const everything = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** All in which the themes differ. */
const contrast = { type: 'rule', values: ['color-contrast'] };

/** No rule of WCAG 2.2 AA that a machine can check is broken. It goes in by the debugger: the policy forbids a script. */
export async function assertAccessible(
  page: Page,
  where: string,
  { dark = false, within = 'html' } = {},
): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  if (dark) await page.emulateMedia({ colorScheme: 'dark' });
  const runOnly = JSON.stringify(dark ? contrast : everything);
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify(within)}, { runOnly: ${runOnly}, resultTypes: ['violations'] })`,
  )) as AxeResults;
  const told = violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary}`).join('\n  ')}`,
  );
  assert.deepEqual(told, [], where);
}

/** A shop with enough of everything. */
export async function makeShop({ admin }: ConsoleWorld, id: string, records = 0): Promise<void> {
  const plan = { type: 'text', options: ['free', 'pro'], default: 'free', write: 'server' };
  await admin.projects.create({ id, name: 'The shop', auth: { profile: { plan } } });
  const project = admin.project(id);
  await project.collections.create({
    id: 'brands',
    name: 'Brands',
    fields: { name: { type: 'text', required: true, unique: true }, country: { type: 'text' } },
    api: { access: 'public' },
  });
  await project.collections.create({
    id: 'products',
    name: 'Products',
    fields: {
      title: { type: 'text', required: true, maxLength: 200, index: true },
      status: { type: 'text', options: ['draft', 'live'], default: 'draft' },
      price: { type: 'number', min: 0 },
      inStock: { type: 'boolean' },
      body: { type: 'content' },
      releasedAt: { type: 'datetime' },
      tags: { type: 'list', of: { type: 'text' } },
      brand: { type: 'relation', to: 'brands', kind: 'single', onDelete: 'restrict' },
    },
    api: { access: 'user' },
  });
  await project.users.create({ email: 'ann@example.com', name: 'Ann', password: 'correct horse' });
  await project.workspaces.create({ name: 'North' });
  await project.keys.create({ name: 'Nightly' });
  const url = 'https://search.invalid/hook';
  await project.webhooks.create({ name: 'Search index', url, collections: ['brands'] });
  const shop = admin.records(id);
  const brands = await shop.collection('brands').batch((batch) => {
    for (const name of ['Fjord', 'Sakura', 'Moskva']) batch.create({ name });
  });
  const brandIds = brands.created.map(({ _id }) => _id);
  for (let at = 0; at < records; at += 1000) {
    await shop.collection('products').batch((batch) => {
      for (let n = at; n < Math.min(records, at + 1000); n += 1) {
        batch.create({
          title: `Product ${String(n).padStart(5, '0')}`,
          price: n,
          status: n % 3 === 0 ? 'live' : 'draft',
          tags: n % 2 === 0 ? ['even'] : ['odd'],
          brand: brandIds[n % 3] ?? null,
        });
      }
    });
  }
}
