import assert from 'node:assert/strict';
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadRuntime } from '../src/runtime/load-runtime.ts';
import { startChild } from './children.ts';
import { pause } from './support.ts';

const main = join(dirname(fileURLToPath(import.meta.url)), '../src/main.ts');

interface Process {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exit: Promise<number | null>;
}

function vitrine(words: readonly string[], environment: Record<string, string> = {}): Process {
  return watched(startChild(process.execPath, [main, ...words], { env: { ...process.env, ...environment } }));
}

function watched(child: ChildProcessWithoutNullStreams): Process {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part));
  return {
    child,
    output: () => output,
    exit: new Promise((resolve) => child.once('close', resolve)),
  };
}

async function serving(server: Process): Promise<string> {
  for (;;) {
    const base = /Vitrine is at (http:\S+)/.exec(server.output())?.[1];
    if (base) return base;
    if (server.child.exitCode !== null) throw new Error(`did not start: ${server.output()}`);
    await pause(25);
  }
}

/** Sends bytes as they are and gives back all that comes until the connection is closed, or quiet for so many milliseconds. */
function raw(base: string, bytes: string, quietFor = 60_000): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = '';
    socket.setTimeout(quietFor, () => socket.destroy());
    socket.on('data', (part) => (received += part));
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
  });
}

describe('vitrine serve, through a socket', () => {
  let directory: string;
  let server: Process;
  let base: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vitrine-serve-'));
    server = vitrine(['serve', '--demo', '--port', '0', '--data', directory, '--log-requests'], {
      VITRINE_ADMIN_KEY: 'administrators-key',
    });
    base = await serving(server);
  });
  after(async () => {
    server.child.kill('SIGKILL');
    await server.exit;
    await rm(directory, { recursive: true, force: true });
  });

  it('prints what to open and a curl line that works', async () => {
    const url = /curl '([^']+)'/.exec(server.output())?.[1] ?? '';
    const { ok, result } = (await (await fetch(url)).json()) as { ok: boolean; result: { found: object[] } };
    assert.equal(ok, true);
    assert.equal(result.found.length, 3);
  });

  it('HEAD has the headers of GET, its length too, and no body', async () => {
    const get = await fetch(`${base}/v1/demo/products`);
    const length = Buffer.byteLength(await get.text());
    const answer = await raw(base, 'HEAD /v1/demo/products HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    assert.match(answer, /^HTTP\/1.1 200 /);
    assert.match(answer.toLowerCase(), new RegExp(`content-length: ${length}\r\n`));
    assert.equal(answer.split('\r\n\r\n')[1], '');
  });

  it('an address longer than 16 KiB is a 414 in the envelope', async () => {
    const answer = await fetch(`${base}/v1/demo/products?search=${'x'.repeat(17_000)}`);
    assert.equal(answer.status, 414);
    assert.equal(((await answer.json()) as { ok: boolean }).ok, false);
  });

  it('a body larger than 1 MiB is a 413, announced or not', async () => {
    const large = JSON.stringify({ title: 'x'.repeat(1_100_000) });
    const headers = { authorization: 'Bearer administrators-key', 'content-type': 'application/json' };
    const announced = await fetch(`${base}/v1/demo/products`, { method: 'POST', headers, body: large });
    assert.equal(announced.status, 413);
    const parts = new ReadableStream({
      start(controller) {
        for (let at = 0; at < large.length; at += 65_536) {
          controller.enqueue(new TextEncoder().encode(large.slice(at, at + 65_536)));
        }
        controller.close();
      },
    });
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body: parts, duplex: 'half' };
    const streamed = await fetch(`${base}/v1/demo/products`, init);
    assert.equal(streamed.status, 413);
  });

  it('a connection that breaks off in the middle of a body leaves the server well', async () => {
    const head =
      'POST /v1/demo/brands HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer administrators-key\r\nContent-Type: application/json\r\n';
    await raw(base, `${head}Content-Length: 500\r\n\r\n{"name": "half`, 100);
    await raw(base, `${head}Transfer-Encoding: chunked\r\n\r\n10\r\n{"name": "half`, 100);
    const after = await fetch(`${base}/v1/demo/brands?name=half`);
    assert.equal(((await after.json()) as { result: { total: number } }).result.total, 0);
  });

  it('what is not HTTP at all leaves the server well', async () => {
    for (const bytes of ['\0\0\0\0', 'GET\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', '{"ok":true}\r\n\r\n']) {
      await raw(base, bytes, 100);
    }
    assert.equal((await fetch(`${base}/healthz`)).status, 200);
  });

  it('logs a line of JSON for every request when asked to', async () => {
    await fetch(`${base}/v1/demo/brands?name=logged`);
    const logged = () =>
      server
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line))
        .findLast(({ path, method }) => path === '/v1/demo/brands' && method === 'GET');
    for (let attempt = 0; !logged() && attempt < 2_000; attempt++) await pause(25);
    assert.equal(logged()?.status, 200);
    assert.equal(typeof logged()?.ms, 'number');
  });

  it('says so when the port is taken', async () => {
    const { port } = new URL(base);
    const second = vitrine(['serve', '--port', port, '--data', join(directory, 'other')]);
    assert.equal(await second.exit, 1);
    assert.match(second.output(), /can't listen on 127\.0\.0\.1:\d+: the port is taken/);
  });

  it('answers what is in flight at SIGTERM, then exits with 0, and keeps every record', async () => {
    const headers = { authorization: 'Bearer administrators-key', 'content-type': 'application/json' };
    const create = (name: string) =>
      fetch(`${base}/v1/demo/brands`, { method: 'POST', headers, body: JSON.stringify({ name }) });
    const writes = Array.from({ length: 50 }, (_, index) => create(`brand ${index}`).catch(() => undefined));
    await Promise.race(writes);
    server.child.kill('SIGTERM');
    const answers = (await Promise.all(writes)).filter((answer) => answer?.status === 201);
    assert.ok(answers.length > 0);
    assert.equal(await server.exit, 0);
    server = vitrine(['serve', '--port', '0', '--data', directory], {
      VITRINE_ADMIN_KEY: 'administrators-key',
    });
    base = await serving(server);
    const list = await fetch(`${base}/v1/demo/brands?search=brand`);
    const { result } = (await list.json()) as { result: { total: number } };
    assert.ok(result.total >= answers.length, `${result.total} of ${answers.length}`);
  });
});

describe('npm start', () => {
  it('passes SIGTERM on: the server ends, with 0', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'vitrine-npm-'));
    const words = ['start', '--', '--port', '0', '--data', directory];
    const npm = watched(startChild('npm', words, { cwd: dirname(dirname(main)) }));
    const base = await serving(npm);
    assert.equal((await fetch(`${base}/v1/demo/products`)).status, 200);
    npm.child.kill('SIGTERM');
    assert.equal(await npm.exit, 0);
    await assert.rejects(fetch(`${base}/healthz`));
    await rm(directory, { recursive: true, force: true });
  });
});

describe('the command line', () => {
  it('refuses a wrong flag with one line and exit code 2', async () => {
    const wrong = vitrine(['serve', '--prot', '1']);
    assert.equal(await wrong.exit, 2);
    assert.match(wrong.output(), /^vitrine: there is no flag --prot, did you mean 'port'\?.*\n$/);
    for (const words of [['serv'], ['serve', '--port', 'x'], ['serve', '--port'], ['serve', 'extra']]) {
      const refused = vitrine(words);
      assert.equal(await refused.exit, 2, words.join(' '));
      assert.equal(refused.output().trim().split('\n').length, 1, refused.output());
    }
  });

  it('shows help', async () => {
    for (const words of [['help'], ['--help'], ['serve', '--help'], ['help', 'serve'], []]) {
      const shown = vitrine(words);
      assert.equal(await shown.exit, 0);
      assert.match(shown.output(), /serve/);
    }
  });

  it("says so when the data directory can't be used", async () => {
    const directory = await mkdtemp(join(tmpdir(), 'vitrine-data-'));
    const file = join(directory, 'file');
    await writeFile(file, 'not a directory');
    const refused = vitrine(['serve', '--port', '0', '--data', join(file, 'data')]);
    assert.equal(await refused.exit, 1);
    assert.match(refused.output(), /the data directory '.*' can't be used: it is not a directory/);
    await rm(directory, { recursive: true });
  });

  it('refuses files that are not ours, and leaves them as they are', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'vitrine-format-'));
    const file = join(directory, 'instance.db');
    await writeFile(file, 'something else entirely, longer than a header of SQLite'.repeat(40));
    const before = await readFile(file);
    const refused = vitrine(['serve', '--port', '0', '--data', directory]);
    assert.equal(await refused.exit, 1);
    assert.deepEqual(await readFile(file), before);
    await rm(directory, { recursive: true });
  });

  it('refuses data of a newer format, and says which it reads', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'vitrine-format-'));
    const made = vitrine(['serve', '--demo', '--port', '0', '--data', directory]);
    await serving(made);
    made.child.kill('SIGTERM');
    assert.equal(await made.exit, 0);
    const db = (await loadRuntime()).sqlite.open(join(directory, 'instance.db'));
    db.exec('PRAGMA user_version = 99');
    db.close();
    const refused = vitrine(['serve', '--port', '0', '--data', directory]);
    assert.equal(await refused.exit, 1);
    assert.match(
      refused.output(),
      /has format 99, made by a newer Vitrine, and this one reads up to \d+: upgrade Vitrine/,
    );
    await rm(directory, { recursive: true });
  });
});
