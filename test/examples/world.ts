import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAdmin } from '../../client/admin.ts';
import { createClient } from '../../client/client.ts';
import type { library } from '../../examples/library.ts';
import { totpCode } from '../../src/access/totp.ts';
import { key, makePlace } from '../commands/support.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A real server with the project of the examples in it, made as their README says. */
export async function startLibrary() {
  const place = await makePlace();
  await place.expect(0, ['apply', join(root, 'examples/library.ts')]);
  const { url, stop } = await place.serve();
  const admin = createAdmin(url, { token: key });
  return {
    url,
    admin,
    records: admin.records<typeof library>('library'),
    /** Gives an account a second factor, and its recovery codes, each of which stands in for a code once. */
    async addFactor(account: { email: string; password: string }): Promise<readonly string[]> {
      const { auth } = createClient(url, { project: 'library' });
      await auth.login(account);
      const { secret } = await auth.totp.start();
      return (await auth.totp.confirm(totpCode(secret, Math.floor(Date.now() / 30_000)))).recoveryCodes;
    },
    async stop() {
      await stop();
      await place.remove();
    },
  };
}

/** Bundles a module for browsers. */
export function bundle(path: string): string {
  const words = ['build', '--format=esm', '--target=browser', join(root, path)];
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/bun'), words, {
    encoding: 'utf8',
    cwd: root,
    maxBuffer: 64 * 2 ** 20,
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

/** Serves the files of an example; some, by their address, as something else. */
export async function startPages(folder: string, made: Readonly<Record<string, string>>) {
  const types: Record<string, string> = { html: 'text/html', js: 'text/javascript', tsx: 'text/javascript' };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://x');
    const name = pathname === '/' ? '/index.html' : pathname;
    response.setHeader('content-type', types[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain');
    try {
      response.end(made[name] ?? readFileSync(join(root, folder, name)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}
