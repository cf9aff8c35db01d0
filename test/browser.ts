import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium as playwright } from 'playwright-core';

/**
 * A real browser for tests: `CHROME_PATH`, or the Chromium that `@sparticuz/chromium` carries for Linux on x64, or an installed
 * Chrome. Where there is none the tests that need one are not run, and the run says so; on CI that is a failure.
 *
 *     const browser = await startBrowser();
 *     it('…', { skip: skipWithout(browser) }, async () => { … await browser?.newPage() … });
 *     after(() => browser?.close());
 */
export async function startBrowser(): Promise<Browser | undefined> {
  const why: string[] = [];
  for (const find of [givenChrome, carriedChromium, installedChrome]) {
    try {
      const launch = await find();
      // Not the package's own `args`: with --single-process one page that hangs ends the browser.
      if (launch) return await playwright.launch({ args: ['--no-sandbox', '--disable-gpu'], ...launch });
    } catch (error) {
      why.push(String(error));
    }
  }
  const message = `BROWSER TESTS WERE NOT RUN: there is no browser here. Set CHROME_PATH. ${why.join(' ')}`;
  if (process.env.CI === 'true') throw new Error(message);
  console.error(`\n${'!'.repeat(80)}\n${message}\n${'!'.repeat(80)}\n`);
  return undefined;
}

export function skipWithout(browser: Browser | undefined): string | false {
  return browser ? false : 'there is no browser here: set CHROME_PATH';
}

interface Launch {
  readonly executablePath?: string;
  readonly channel?: string;
}

async function givenChrome(): Promise<Launch | undefined> {
  const { CHROME_PATH } = process.env;
  if (!CHROME_PATH) return undefined;
  accessSync(CHROME_PATH, constants.X_OK);
  return { executablePath: CHROME_PATH };
}

/** Unpacks itself into the temporary folder, the first time: some seconds, in which no other process may use it. */
async function carriedChromium(): Promise<Launch | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const { default: chromium } = await import('@sparticuz/chromium');
  return alone(async () => {
    let executablePath = await chromium.executablePath();
    if (spawnSync(executablePath, ['--version']).status !== 0) {
      rmSync(executablePath, { force: true }); // half of it, of a run that was killed
      executablePath = await chromium.executablePath();
    }
    return { executablePath };
  });
}

/** One process at a time; one that was killed is not waited for longer than this. */
const longestUnpacking = 60_000;

async function alone<T>(work: () => Promise<T>): Promise<T> {
  const lock = join(tmpdir(), 'vitrine-chromium.lock');
  while (!tryMake(lock)) {
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (since > 0 && Date.now() - since > longestUnpacking) rmSync(lock, { recursive: true, force: true });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function tryMake(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function installedChrome(): Promise<Launch> {
  return { channel: 'chrome' };
}
