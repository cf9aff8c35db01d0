import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../../src/model/json.ts';
import { type NamedStorage, startStorage } from '../storage.ts';
import { password } from './people.ts';
import { makeAdministrator, type Process, printed, serving, vitrine } from './process.ts';

const email = 'root@example.com';
const link = /(http:\S+\/_console\/setup#\S+)/;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly ok: boolean;
  readonly error: string;
  readonly result: Record<string, unknown>;
}

const running: Process[] = [];
const storages: NamedStorage[] = [];
after(async () => {
  for (const { child, exit } of running) {
    child.kill('SIGKILL');
    await exit;
  }
  for (const storage of storages) await storage.remove();
});

async function emptyStorage(): Promise<NamedStorage> {
  const storage = await startStorage();
  storages.push(storage);
  return storage;
}

async function serve({ flags }: NamedStorage, environment: Record<string, string> = {}) {
  const server = vitrine(['serve', '--port', '0', ...flags], { environment });
  running.push(server);
  return { server, base: await serving(server) };
}

async function stop({ child, exit }: Process): Promise<void> {
  child.kill('SIGTERM');
  assert.equal(await exit, 0);
}

async function send(base: string, verb: string, path: string, body?: Json, token?: string): Promise<Answer> {
  const response = await fetch(`${base}/v1/_admin${path}`, {
    method: verb,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { status, headers } = response;
  return { status, headers, ...((await response.json()) as Pick<Answer, 'ok' | 'error' | 'result'>) };
}

const login = (base: string, secret: string) => send(base, 'POST', '/login', { email, password: secret });
const projects = (base: string, token: unknown) => send(base, 'GET', '/projects', undefined, String(token));

describe('an instance without an administrator', () => {
  it('prints a link, whose page and token make the first administrator, once', async () => {
    const data = await emptyStorage();
    const { server, base } = await serve(data);
    const [page = '', token = ''] = (await printed(server, link)).split('#');
    assert.equal(page, `${base}/_console/setup`);
    assert.match(token, /^[\w-]{40,}$/);
    assert.equal(server.output().split(token).length, 2, 'it is printed once');

    await checkPage(page, token);
    const ask = (more: Record<string, Json>) =>
      send(base, 'POST', '/setup', { token, email, password, ...more });
    for (const [more, status] of [
      [{ token: 'x'.repeat(43) }, 403],
      [{ token: '' }, 400],
      [{ password: 'x'.repeat(7) }, 400],
      [{ password: 'x'.repeat(257) }, 400],
      [{ email: 'nobody' }, 400],
      [{ more: 1 }, 400],
    ] as const) {
      assert.equal((await ask(more)).status, status, JSON.stringify(more));
    }
    assert.equal((await login(base, password)).status, 401);

    const answers = await Promise.all([1, 2, 3].map((n) => ask({ email: `root${n}@example.com` })));
    assert.deepEqual(
      answers.map(({ status }) => status).sort(),
      [201, 403, 403],
      'of three at once one is it',
    );
    const made = answers.find(({ status }) => status === 201);
    assert.equal(made?.result.tokenType, 'Bearer');
    assert.equal((await projects(base, made?.result.accessToken)).status, 200);
    assert.equal((await ask({})).status, 403);
    assert.equal((await login(base, password)).status, 401);
    const who = made?.result.administrator as { email: string };
    const signed = await send(base, 'POST', '/login', { email: who.email.toUpperCase(), password });
    assert.equal(signed.status, 200);
    const admin = String(signed.result.accessToken);
    assert.equal((await send(base, 'POST', '/projects', { id: 'shop' }, admin)).status, 201);
    assert.ok(!server.output().includes(admin));

    await stop(server);
    const again = await serve(data);
    assert.equal((await projects(again.base, admin)).status, 200);
    const late = await send(again.base, 'POST', '/setup', { token, email, password });
    assert.equal(late.status, 403, `${late.status} ${late.error}\n${again.server.output()}`);
    assert.doesNotMatch(again.server.output(), link);
    await stop(again.server);
  });

  it('prints another link at every start, and only the newest works', async () => {
    const data = await emptyStorage();
    const first = await serve(data);
    const old = (await printed(first.server, link)).split('#')[1] ?? '';
    await stop(first.server);
    const { server, base } = await serve(data);
    const token = (await printed(server, link)).split('#')[1] ?? '';
    assert.notEqual(token, old);
    assert.equal((await send(base, 'POST', '/setup', { token: old, email, password })).status, 403);
    await makeAdministrator(data, email, password);
    const late = await send(base, 'POST', '/setup', { token, email: 'late@example.com', password });
    assert.equal(late.status, 403, 'there is an administrator by now');
    assert.equal((await login(base, password)).status, 200);
    await stop(server);
  });
});

/** Served to whoever asks, and nothing but the console's own files runs in it. */
async function checkPage(page: string, token: string): Promise<void> {
  const answer = await fetch(page);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html; charset=utf-8$/i);
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(
    answer.headers.get('content-security-policy'),
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  const html = await answer.text();
  assert.ok(!html.includes(token));
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
  assert.doesNotMatch(html, /<script>|<style|\sstyle=|\son\w+=/);
  for (const file of files.filter((one) => !one.startsWith('data:'))) {
    const found = await fetch(new URL(file, page));
    assert.equal(found.status, 200, file);
    assert.match(found.headers.get('cache-control') ?? '', /immutable/);
  }
}

describe('vitrine admin', () => {
  let data: NamedStorage;
  before(async () => {
    data = await emptyStorage();
  });
  const admin = (words: readonly string[], more: Parameters<typeof vitrine>[1]) =>
    vitrine(['admin', ...words, ...data.flags], more);

  it('makes an administrator, gives a new password and ends their sign-ins, while the server runs', async () => {
    await makeAdministrator(data, email, password);
    const { server, base } = await serve(data);
    const first = await login(base, password);
    assert.equal(first.status, 200);
    const { administrator, accessToken, tokenType, expiresIn, ...rest } = first.result;
    assert.deepEqual([administrator, tokenType, rest], [{ email }, 'Bearer', {}]);
    assert.ok(Number(expiresIn) > 0);
    assert.equal((await projects(base, accessToken)).status, 200);

    await makeAdministrator(data, 'second@example.com', password);
    assert.equal((await projects(base, accessToken)).status, 200, "another's sign-ins go on");
    const reset = admin(['--email', email.toUpperCase()], {
      environment: { VITRINE_ADMIN_PASSWORD: '' },
      input: 'a password by stdin\n',
    });
    assert.equal(await reset.exit, 0, reset.output());
    assert.ok(!reset.output().includes('a password by stdin'));
    const ended = await projects(base, accessToken);
    assert.equal(ended.status, 401);
    assert.equal(ended.headers.get('www-authenticate'), 'Bearer');
    assert.equal((await login(base, password)).status, 401);
    const next = await login(base, 'a password by stdin');
    assert.equal((await projects(base, next.result.accessToken)).status, 200);
    assert.doesNotMatch(server.output(), link);
    await stop(server);
  });

  it('refuses what is not right with one line and exit code 2', async () => {
    const good = { environment: { VITRINE_ADMIN_PASSWORD: password } };
    const cases: [readonly string[], Parameters<typeof vitrine>[1]][] = [
      [[], good],
      [['--email', email], { environment: { VITRINE_ADMIN_PASSWORD: 'x'.repeat(7) } }],
      [['--email', email], { input: '' }],
      [['--email', email, '--pasword', 'x'], good],
    ];
    const refused = cases.map(([words, more]) => admin(words, more));
    for (const [at, { exit, output }] of refused.entries()) {
      assert.equal(await exit, 2, `${cases[at]?.[0].join(' ')}: ${output()}`);
      assert.match(output(), /^vitrine: .+\n$/);
    }
  });

  it('is not needed where VITRINE_ADMIN_KEY is set: no link, and the key manages', async () => {
    const { server, base } = await serve(await emptyStorage(), { VITRINE_ADMIN_KEY: 'a-rather-long-key' });
    assert.equal((await projects(base, 'a-rather-long-key')).status, 200);
    assert.equal((await projects(base, 'another-key')).status, 401);
    assert.equal((await send(base, 'POST', '/setup', { token: 'x', email, password })).status, 403);
    assert.doesNotMatch(server.output(), link);
    await stop(server);
  });
});
