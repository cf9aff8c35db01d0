import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { adminKey } from './admin-key.ts';
import { Browser, client, RealProvider, redirect } from './auth/oidc-world.ts';
import { addressOf, startChild } from './children.ts';
import { readSteps } from './docs/blocks.ts';
import { World } from './docs/world.ts';
import type { TestApp } from './harness.ts';
import { freePort } from './postgres-server.ts';
import { pause } from './support.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** `npm run build`, tried where nothing of the checkout can be found. */
describe('the single executable', () => {
  let directory: string;
  let vitrine: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vitrine-executable-'));
    vitrine = join(directory, 'vitrine');
    const bun = join(root, 'node_modules/.bin/bun');
    const built = spawnSync(bun, ['build/executable.ts', '--out', vitrine], { cwd: root, encoding: 'utf8' });
    assert.equal(built.status, 0, built.stderr);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('says its version and has all commands', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const run = (...args: string[]) =>
      spawnSync(vitrine, args, { cwd: directory, encoding: 'utf8', env: {} }).stdout;
    assert.equal(run('--version'), `vitrine ${version}\n`);
    for (const name of ['serve', 'apply', 'import', 'copy'])
      assert.match(run('help'), new RegExp(`^  ${name} `, 'm'));
  });

  for (const workers of ['1', '2']) {
    it(`serves records, sign-ups and the console, with ${workers} of its processes`, {
      timeout: 200_000,
    }, async () => {
      const mails = `mails-${workers}`;
      const flags = [
        ...['serve', '--demo', '--port', '0', '--workers', workers, '--data', `data-${workers}`],
        ...['--mail', `file:${mails}`, '--mail-from', 'a@example.com', '--public-url', 'http://127.0.0.1'],
      ];
      const child = startChild(vitrine, flags, { cwd: directory, env: {} });
      const url = await addressOf(child);
      const page = await fetch(`${url}/v1/demo/products?include=brand`);
      assert.equal(((await page.json()) as { result: { total: number } }).result.total, 8);
      const signUp = await fetch(`${url}/v1/demo/_auth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'ann@example.com', password: 'correct horse' }),
      });
      assert.equal(signUp.status, 201, await signUp.text());
      const forgot = await fetch(`${url}/v1/demo/_auth/forgot`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'ann@example.com' }),
      });
      assert.equal(forgot.status, 200, await forgot.text());
      for (let tries = 0; tries < 1_000 && !(await hasMail(join(directory, mails))); tries++)
        await pause(100);
      assert.ok(await hasMail(join(directory, mails)), 'a mail was sent');
      const shown = await (await fetch(`${url}/_console/`)).text();
      const [, script = ''] = /src="([^"]+)"/.exec(shown) ?? [];
      assert.equal((await fetch(new URL(script, `${url}/_console/`))).status, 200, shown);
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      assert.equal(await closed, 0);
    });
  }

  it('signs in with a provider', { timeout: 200_000 }, async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const words = ['serve', '--port', String(port), '--data', 'data-oidc', '--public-url', url];
    const child = startChild(vitrine, words, { cwd: directory, env: { VITRINE_ADMIN_KEY: adminKey } });
    const closed = new Promise((resolve) => child.once('close', resolve));
    await addressOf(child);
    const provider = await RealProvider.start(() => [`${url}/v1/app/_auth/oidc/one/callback`]);
    provider.people.set('ann', { email: 'ann@example.com', email_verified: true, name: 'Ann' });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${adminKey}` };
    const post = async (path: string, body: object) => {
      const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await answer.json()) as { result: { user: { email: string } } };
    };
    const one = { id: 'one', issuer: provider.issuer, clientId: client.id, clientSecret: client.secret };
    await post('/v1/_admin/projects', { id: 'app', auth: { providers: [one], redirects: [redirect] } });
    const verifier = 'v'.repeat(43);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const start = `${url}/v1/app/_auth/oidc/one?${new URLSearchParams({ redirect, challenge })}`;
    const browser = new Browser({ fetch: (request: Request) => fetch(request) } as Pick<TestApp, 'fetch'>);
    const { url: arrived, text } = await browser.signIn(start, 'ann');
    const code = arrived.searchParams.get('code');
    assert.ok(code, `${arrived} ${text}`);
    headers.authorization = ''; // nobody's
    const { result } = await post('/v1/app/_auth/exchange', { code, verifier });
    assert.equal(result.user.email, 'ann@example.com');
    await provider.stop();
    child.kill('SIGTERM');
    assert.equal(await closed, 0);
  });

  for (const page of ['README.md', 'docs/commands.md', 'docs/operating.md']) {
    it(`does what ${page} says`, { timeout: 280_000 }, async () => {
      const markdown = await readFile(join(root, page), 'utf8');
      const world = await World.start(markdown, [vitrine]);
      try {
        for (const step of readSteps(markdown, page)) await world.follow(step);
      } finally {
        await world.stop();
      }
    });
  }

  it('runs as process 1 of an empty root that is read-only, without HOME, as user 65532', {
    timeout: 280_000,
  }, async () => {
    if (process.platform !== 'linux' || process.getuid?.() !== 0 || !mayUnshare()) {
      console.log('NOT TRIED: an empty root needs Linux, root, unshare and chroot');
      return;
    }
    const script = join(root, 'test/empty-root.sh');
    const words = [directory, vitrine, 'serve', '--demo', '--port', '0', '--data', '/data'];
    const child = startChild(script, words, { env: { ...process.env, VITRINE_ADMIN_KEY: adminKey } });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const url = await addressOf(child);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${adminKey}` };
    const post = (path: string, body: object) =>
      fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    // Its native code can't be run from /tmp: the runtime's own takes its place.
    const account = { email: 'ann@example.com', password: 'correct horse' };
    assert.equal((await post('/v1/_admin/projects/demo/users', account)).status, 201);
    assert.equal((await post('/v1/demo/_auth/login', account)).status, 200);
    assert.equal((await post('/v1/_admin/projects', { id: 'made' })).status, 201);
    assert.equal((await fetch(`${url}/v1/demo/products/export?format=xlsx`)).status, 200);
    assert.equal((await fetch(`${url}/_console/`)).status, 200);
    const server = await innermost(child.pid ?? 0);
    const status = await readFile(`/proc/${server}/status`, 'utf8');
    assert.match(status, /^NSpid:\s+\d+\s+1$/m);
    assert.match(status, /^Uid:\s+65532\s/m);
    process.kill(server, 'SIGTERM');
    assert.equal(await ended, 0);
  });
});

const mayUnshare = () =>
  spawnSync('unshare', ['--mount', '--pid', '--fork', 'chroot', '--version']).status === 0;

/** The process that others were started for. */
async function innermost(pid: number): Promise<number> {
  const [child] = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
  return child ? innermost(Number(child)) : pid;
}

async function hasMail(folder: string): Promise<boolean> {
  const files = await readdir(folder).catch(() => []);
  return files.some((file) => file.endsWith('.eml'));
}
