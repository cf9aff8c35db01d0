import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { SqliteConnection, SqliteStatement } from '../../src/store/engines/sqlite/connection/driver.ts';
import { type Process, serving, vitrine } from '../auth/process.ts';
import { startChild } from '../children.ts';
import { seed } from '../seed.ts';
import { databaseOf, type NamedStorage, startStorage, testEngine } from '../storage.ts';
import { pause } from '../support.ts';
import { expensivePaths, items, recordOf } from './expensive.ts';
import {
  type Group,
  type Hostile,
  hostileGroups,
  largeCascade,
  largePages,
  parts,
  volumes,
} from './hostile.ts';
import type { ProberSetup } from './prober.ts';

const long = process.env.VITRINE_LONG === '1';
/** Prints each kind of request with the memory and the waits it came with. */
const trace = process.env.VITRINE_STALL_TRACE === '1';
const count = long ? 200_000 : 20_000;
/** Milliseconds. What takes longer is hung up on: who waits meanwhile is what matters here. */
const longestAnswer = 1_500;
const longestChange = 250_000;
/** Of the time without a hostile request beside each, for comparison. */
const [shortestQuiet, longestQuiet] = long ? [100, longestAnswer] : [20, 60];

/**
 * Milliseconds that others may wait. In the short form, for which the machine may be anybody's, those do not count in which a
 * thread that had to do with it was kept from a processor (server-times.ts): there are none on a machine that nobody else uses.
 */
const bounds = { healthz: 100, view: 100, page: 150, create: 150, signIn: 150 } as const;
/**
 * A batch of 16 MiB is one transaction, which on SQLite other writes wait for: 250 ms, or two and a half times what SQLite alone takes to
 * write as much at that moment, where that is more on a slow disk.
 */
const besideBatches = { least: 250, ofBare: 2.5 };
/**
 * Megabytes that may stay after all of it, and that a request may take: a batch
 * of 16 MiB is there as text, values, message and answer.
 */
const [mostMemory, mostAtOnce] = [150, 400];
type Kind = keyof typeof bounds;
const kinds = Object.keys(bounds) as Kind[];
/** The longest waits in a span of time; `machine`: for which a process that does nothing was kept from going on; `disk`: for the least that it does. */
type Waits = Readonly<Record<Kind | 'machine' | 'disk', number>>;
/** `bare`: what SQLite alone takes to write as much as a large batch does, where that matters. */
type Measured = Waits & { readonly bare?: number };

const headers = { authorization: 'Bearer administrators-key', 'content-type': 'application/json' };
const account = { email: 'ann@example.com', password: 'a good password' };

describe(`whatever one caller sends (VITRINE_SEED=${seed})`, () => {
  let storage: NamedStorage;
  let server: Process;
  let prober: Prober;
  let bare: BareBatch;
  let base: string;
  let one: string;
  let folder: string;
  const post = async (path: string, body: object): Promise<{ _id?: string }> => {
    const reply = await fetch(`${base}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.ok(reply.ok, await reply.clone().text());
    return ((await reply.json()) as { result: object }).result;
  };

  before(async () => {
    storage = await startStorage();
    folder = await mkdtemp(join(tmpdir(), 'vitrine-stall-'));
    const flags = ['--port', '0', '--page-limit', '1000', '--trust-proxy', '127.0.0.1'];
    server = vitrine(['serve', ...flags, ...storage.flags], {
      environment: { VITRINE_ADMIN_KEY: 'administrators-key' },
    });
    base = await serving(server);
    await post('_admin/projects', { id: 'p' });
    await post('_admin/projects/p/collections', items);
    await post('_admin/projects/p/collections', parts);
    await post('_admin/projects/p/collections', volumes);
    await post('p/_auth/register', account);
    for (let at = 0; at < count; at += 1_000) {
      await post('p/items/batch', {
        create: Array.from({ length: 1_000 }, (_, index) => recordOf(at + index)),
      });
    }
    const listed = (await (await fetch(`${base}/v1/p/items?perPage=1`)).json()) as {
      result: { found: { _id: string }[] };
    };
    one = listed.result.found[0]?._id ?? '';
    prober = new Prober({
      ...{ base, headers, record: one, account: JSON.stringify(account) },
      creation: JSON.stringify(recordOf(count + 1)),
      ...(!long && { server: server.child.pid ?? 0, database: databaseOf(storage) }),
      file: join(folder, 'written'),
    });
    bare = await BareBatch.open(join(folder, 'bare.db'));
    await pause(1_000);
  });
  after(async () => {
    prober?.end();
    bare?.close();
    server.child.kill('SIGKILL');
    await server.exit;
    await storage.remove();
    await rm(folder, { recursive: true });
  });

  /** The longest waits without hostile requests in all of the run, and the longest pause of a process that does nothing. */
  const usual = { ...none };

  /** The longest waits while the requests of a group are sent. */
  async function measure(group: Group): Promise<Measured> {
    await group.prepare?.();
    await prober.window();
    const start = performance.now();
    for (const request of group.requests()) await send(request);
    const beside = await prober.window();
    await pause(Math.min(longestQuiet, Math.max(shortestQuiet, performance.now() - start)));
    const quiet = await prober.window();
    for (const kind of [...kinds, 'machine', 'disk'] as const)
      usual[kind] = Math.max(usual[kind], quiet[kind]);
    usual.machine = Math.max(usual.machine, beside.machine);
    return waitsForBatch(group) ? { ...beside, bare: bare.write() } : beside;
  }

  /** Whether it holds a transaction that others can't but wait for. */
  const waitsForBatch = ({ name }: Group) => testEngine === 'sqlite' && /batch$/.test(name);

  /** Milliseconds beyond what is allowed. */
  function tooLong(kind: Kind, { bare, ...beside }: Measured): number {
    const writes = kind === 'create' || kind === 'signIn';
    const waits = writes && bare !== undefined;
    const bound = waits ? Math.max(besideBatches.least, besideBatches.ofBare * bare) : bounds[kind];
    return beside[kind] - bound - usual.machine - (writes ? usual.disk : 0);
  }

  it('others go on: no wait beyond the bound, and no memory', async (t) => {
    const rest = await megabytes();
    let [peak, largest] = [0, ''];
    const worst: Partial<Record<Kind, { wait: number; name: string }>> = {};
    const suspects = new Set<Group>();
    const heavy = new Set<Group>();
    const hostile = hostileGroups(one, long ? 'all' : 'some');
    // Before the others have written large records, with which it takes several times as long.
    const changes = hostile.filter(({ name }) => /^PUT .*:collection$/.test(name));
    const others = hostile.filter((group) => !changes.includes(group));
    const groups: Group[] = [
      ...changes,
      ...expensivePaths().map((path) => ({
        name: path.slice(0, 80),
        requests: () => [{ verb: 'GET', path: `/v1/p/items${path}` }],
      })),
      largeCascade(post),
      ...others,
      largePages(post), // whose texts are indexed for long
    ];
    for (const group of groups) {
      const waits = await measure(group);
      for (const kind of kinds) {
        const wait = waits[kind];
        if (wait > (worst[kind]?.wait ?? 0)) worst[kind] = { wait: Math.round(wait), name: group.name };
        if (tooLong(kind, waits) > 0) suspects.add(group);
      }
      const grown = (await megabytes()) - rest;
      if (trace)
        console.log(
          Math.round(performance.now()),
          group.name,
          Math.round(grown),
          JSON.stringify(rounded(waits)),
        );
      if (grown > peak) [peak, largest] = [grown, group.name];
      if (grown >= mostAtOnce) heavy.add(group);
    }
    const kept = await settled(rest);
    t.diagnostic(
      `${groups.length} kinds of request to ${count} records: ${JSON.stringify({ worst, usual: rounded(usual), peak: Math.round(peak), largest })}`,
    );
    const stalls: string[] = [];
    for (const group of suspects) stalls.push(...(await confirmed(group)));
    for (const group of heavy) stalls.push(...(await heavyAgain(group, rest)));
    assert.deepEqual(stalls, []);
    assert.ok(kept < mostMemory, `${kept.toFixed(0)} MB more than before`);
  });

  /** What a request is the cause of comes again with it, in most of five tries; what the machine is does not. */
  async function confirmed(group: Group): Promise<string[]> {
    const excess: Record<Kind, number[]> = { healthz: [], view: [], page: [], create: [], signIn: [] };
    const often = (kind: Kind) => excess[kind].filter((over) => over > 0).length >= 3;
    const seldom = (kind: Kind) => excess[kind].filter((over) => over <= 0).length >= 3;
    while (!kinds.every((kind) => often(kind) || seldom(kind))) {
      const waits = await measure(group);
      for (const kind of kinds) excess[kind].push(Math.round(tooLong(kind, waits)));
    }
    return kinds.filter(often).map((kind) => `${kind} waited ${excess[kind]} ms too long for ${group.name}`);
  }

  /** The same of memory, with each request by itself: garbage that others left, which was not collected yet, is not there again. */
  async function heavyAgain(group: Group, rest: number): Promise<string[]> {
    const peaks: number[] = [];
    const above = () => peaks.filter((peak) => peak >= mostAtOnce).length;
    while (above() < 3 && peaks.length - above() < 3) peaks.push(await heaviest(group, rest));
    return above() < 3 ? [] : [`${peaks} MB more than before with ${group.name}`];
  }

  /** The most megabytes beyond `rest` after any one of its requests. */
  async function heaviest(group: Group, rest: number): Promise<number> {
    await group.prepare?.();
    let most = 0;
    for (const request of group.requests()) {
      if (most >= mostAtOnce) break;
      await settled(rest);
      await send(request);
      most = Math.max(most, Math.round((await megabytes()) - rest));
    }
    return most;
  }

  /** By a client that does not wait for ever, and sends a changed definition again that found the project in use. */
  async function send({ verb, path, body, lasting }: Hostile): Promise<void> {
    const leaving = AbortSignal.timeout(lasting ? longestChange : longestAnswer);
    const ask = () =>
      fetch(`${base}${path}`, {
        ...{ method: verb, signal: leaving, headers: { ...headers, 'x-forwarded-for': '10.0.0.66' } },
        ...(body && { body }),
      });
    try {
      let reply = await ask();
      while (lasting && reply.status === 503 && reply.headers.has('retry-after')) {
        await reply.arrayBuffer();
        await pause(100);
        reply = await ask();
      }
      const name = `${verb} ${path.slice(0, 200)}`;
      assert.ok(reply.status < 500 || [501, 504].includes(reply.status), `${name}: ${reply.status}`);
      await reply.arrayBuffer();
    } catch (error) {
      if (!leaving.aborted) throw error;
    }
  }

  /** Megabytes beyond `rest` that stay when nothing hostile is sent any more: the garbage collector takes its time. */
  async function settled(rest: number): Promise<number> {
    let grown = (await megabytes()) - rest;
    for (let attempt = 0; attempt < 120 && grown > mostMemory; attempt++) {
      await pause(250);
      grown = (await megabytes()) - rest;
    }
    return grown;
  }

  async function megabytes(): Promise<number> {
    const status = await readFile(`/proc/${server.child.pid}/status`, 'utf8');
    return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }
});

const none: Waits = { healthz: 0, view: 0, page: 0, create: 0, signIn: 0, machine: 0, disk: 0 };

const rounded = (waits: Measured) =>
  Object.fromEntries(Object.entries(waits).map(([kind, wait]) => [kind, Math.round(wait)]));

const wideText = 'words '.repeat(14_000 / 6);

/** As much as the largest batch writes, records and the texts that search looks at, by SQLite and nothing else. */
class BareBatch {
  readonly #connection: SqliteConnection;
  readonly #insertion: SqliteStatement;

  static async open(file: string): Promise<BareBatch> {
    const { sqlite } = await loadRuntime();
    await writeFile(file, '');
    return new BareBatch(sqlite.open(file));
  }

  private constructor(connection: SqliteConnection) {
    this.#connection = connection;
    connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    connection.exec('PRAGMA cache_spill = 16000; PRAGMA wal_autocheckpoint = 0;');
    connection.exec('CREATE TABLE texts (text TEXT NOT NULL)');
    this.#insertion = connection.prepare('INSERT INTO texts (text) VALUES (?)');
  }

  /** Milliseconds. */
  write(): number {
    const start = performance.now();
    this.#connection.exec('BEGIN IMMEDIATE');
    for (let n = 0; n < 2_000; n++) this.#insertion.run([wideText]);
    this.#connection.exec('COMMIT');
    const took = performance.now() - start;
    this.#connection.exec('DELETE FROM texts; PRAGMA wal_checkpoint(TRUNCATE)');
    return took;
  }

  close(): void {
    this.#insertion.finalize();
    this.#connection.close();
  }
}

class Prober {
  readonly #child;
  #answered: (line: string) => void = () => {};
  #output = '';

  constructor(setup: ProberSetup) {
    const file = join(dirname(fileURLToPath(import.meta.url)), 'prober.ts');
    this.#child = startChild(process.execPath, [file, JSON.stringify(setup)]);
    this.#child.stderr.pipe(process.stderr);
    this.#child.stdout.on('data', (part: Buffer) => {
      this.#output += part;
      const lines = this.#output.split('\n');
      this.#output = lines.pop() ?? '';
      for (const line of lines) this.#answered(line);
    });
  }

  /** The longest waits since the last call. */
  async window(): Promise<Waits> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#answered = resolve;
    this.#child.once('close', reject);
    this.#child.stdin.write('\n');
    const line = await promise;
    this.#child.off('close', reject);
    return { ...none, ...JSON.parse(line) };
  }

  end(): void {
    this.#child.stdin.end();
  }
}
