import assert from 'node:assert/strict';
import { get } from 'node:http';
import type { Socket } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { keepAlive } from '../../src/runtime/limits.ts';
import { type NamedStorage, startStorage } from '../storage.ts';
import { toldUntil } from './events.ts';
import { Server } from './server.ts';

/** The change feed of processes that end in every way, over sockets. */

const skip = process.platform !== 'linux';
const isLong = process.env.VITRINE_LONG === '1';
/** How often a server is killed. */
const rounds = Number(process.env.VITRINE_KILLS ?? (isLong ? 100 : 3));

describe('streams of changes over sockets', { skip }, () => {
  let storage: NamedStorage;
  const servers: Server[] = [];
  before(async () => {
    storage = await startStorage();
    const server = await start();
    await server.fill();
    await server.end();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.end();
  });
  after(() => storage.remove());

  async function start(...words: readonly string[]): Promise<Server> {
    const server = await Server.start(storage, '--log-requests', ...words);
    servers.push(server);
    return server;
  }

  it('tell through every worker of what any of them writes', { timeout: 600_000 }, async () => {
    const server = await start('--workers', '2');
    const linesOf = (form: RegExp) =>
      server.output
        .split('\n')
        .slice(0, -1)
        .filter((line) => form.test(line));
    /** Asks until each of them has answered, by what the log says. */
    const untilBoth = async <T>(form: RegExp, ask: (count: number) => Promise<T>) => {
      const answers: T[] = [];
      for (const workers = new Set<string | undefined>(); workers.size < 2; ) {
        assert.ok(answers.length < 60, `${form}: one alone`);
        answers.push(await ask(answers.length));
        await server.until(() => linesOf(form).length >= answers.length, 'it is in the log');
        for (const line of linesOf(form)) workers.add(/"worker":(\d+)/.exec(line)?.[1]);
      }
      return answers;
    };
    const [followed, written] = [/"path":"\/v1\/p\/_changes"/, /"method":"POST","path":"\/v1\/p\/open"/];
    const streams = await untilBoth(followed, () => server.follow('now'));
    const made = await untilBoth(written, (count) => server.create(`${count}`));
    for (const stream of streams) {
      assert.deepEqual(await toldUntil(stream, made.at(-1) ?? ''), made);
      await stream.close();
    }
  });

  it('end at once at SIGTERM, with a word about when to come back, and go on', {
    timeout: 600_000,
  }, async () => {
    const server = await start();
    const stream = await server.follow('now');
    const one = await server.create('one');
    assert.deepEqual(await toldUntil(stream, one), [one]);
    const begun = performance.now();
    server.kill('SIGTERM');
    await stream.over;
    const ended = performance.now() - begun;
    assert.equal(await server.exit, 0, server.output);
    const gone = performance.now() - begun;
    console.log(`streams ended after ${Math.round(ended)} ms, the process after ${Math.round(gone)} ms`);
    assert.match(stream.seen.at(-1)?.retry ?? '', /^\d+$/);
    assert.doesNotMatch(server.output, /still in flight/);
    const next = await start();
    const two = await next.create('two');
    const again = await next.follow(stream.lastId ?? '');
    assert.deepEqual(await toldUntil(again, two), [two]);
    await again.close();
  });

  it('keep no stop from a moment in which hardly a connection is made that nobody answers', {
    timeout: 600_000,
  }, async () => {
    const server = await start();
    const stream = await server.follow('now');
    const ends: string[] = [];
    const clients = Array.from({ length: 6 }, async () => {
      while (!ends.includes('ECONNREFUSED')) {
        const end = await readAlone(`${server.base}/v1/p/open?perPage=1`);
        if (end !== '') ends.push(end);
        await new Promise((resolve) => setTimeout(resolve, 4 + Math.random() * 8));
      }
    });
    await server.create('one');
    server.kill('SIGTERM');
    await Promise.all(clients);
    await stream.over;
    assert.equal(await server.exit, 0, server.output);
    const lost = ends.filter((end) => end !== 'ECONNREFUSED');
    assert.ok(lost.length <= 2, lost.join());
  });

  it('go on after kill -9, and what was answered is told once and in order', {
    timeout: rounds * 600_000, // what stands still ends it before
  }, async () => {
    let server = await start();
    const before = String((await server.send('GET', '/v1/p/_changes?after=now')).next);
    /** Of each writer, in order. */
    const made: string[][] = [[], [], [], []];
    const told = new Set<unknown>();
    let position = 'now';
    for (let round = 0; round < rounds; round++) {
      const stream = await server.follow(position);
      await server.until(() => stream.lastId !== undefined, 'it follows');
      await writeUntilKilled(server, made);
      await stream.over;
      for (const { data } of stream.seen) told.add(data?._id);
      position = stream.lastId ?? position;
      server = await start();
    }
    const last = await server.create('last');
    const stream = await server.follow(position);
    for (const id of await toldUntil(stream, last)) told.add(id);
    await stream.close();
    const all = made.flat();
    console.log(`${rounds} times killed, ${all.length} changes`);
    assert.deepEqual(
      all.filter((id) => !told.has(id)),
      [],
    );
    const places = new Map<string, number>();
    for (const id of await allChanges(server, before)) {
      assert.ok(!places.has(id), `${id} is there twice`);
      places.set(id, places.size);
    }
    for (const own of made) {
      const found = own.map((id) => places.get(id) ?? -1);
      assert.deepEqual(
        found,
        [...found].sort((a, b) => a - b),
      );
    }
  });

  /** The records that were created since, in the order of the log. */
  async function allChanges(server: Server, after: string): Promise<string[]> {
    const found: string[] = [];
    for (let next = after, isLast = false; !isLast; ) {
      const page = await server.send('GET', `/v1/p/_changes?perPage=1000&after=${next}`);
      found.push(...(page.changes as { _id: string }[]).map(({ _id }) => _id));
      next = String(page.next);
      isLast = page.upToDate === true;
    }
    return found;
  }

  async function writeUntilKilled(server: Server, made: readonly string[][]): Promise<void> {
    const enough = made.flat().length + 40;
    let going = true;
    const writers = made.map(async (own) => {
      while (going) {
        const id = await server.create('x').catch(() => undefined);
        if (id !== undefined) own.push(id);
        else await new Promise((resolve) => setTimeout(resolve, 10));
      }
    });
    const count = () => made.flat().length;
    await server.until(() => count() > enough, 'changes are made', count);
    server.kill('SIGKILL');
    await server.exit;
    going = false;
    await Promise.all(writers);
  }

  if (isLong)
    it('are kept where nothing happens, by signs of life', { timeout: 200_000 }, async () => {
      const server = await start();
      const stream = await server.follow('now');
      const idle = (keepAlive + 20) * 1000; // by then a connection without them would be closed
      await new Promise((resolve) => setTimeout(resolve, idle));
      const one = await server.create('one');
      assert.deepEqual(await toldUntil(stream, one), [one]);
      await stream.close();
    });

  it('stand still for clients that do not read, and go on', { timeout: 600_000 }, async () => {
    const server = await start();
    const write = async (count: number) => {
      const create = Array.from({ length: 100 }, (_, index) => ({ text: `${index}`.padEnd(10_000, 'x') }));
      for (let made = 0; made < count; made += 100) await server.send('POST', '/v1/p/open/batch', { create });
    };
    await write(2_000);
    const before = server.resident();
    const sockets: Socket[] = [];
    while (sockets.length < 48) sockets.push(await server.stall());
    await server.until(() => server.output.split('/_changes').length > sockets.length, 'they follow');
    await write(2_000);
    const grown = server.resident() - before;
    console.log(
      `48 clients that do not read 20 MB each: ${grown.toFixed(0)} MB more than ${before.toFixed(0)} MB`,
    );
    const last = await server.create('the last one');
    assert.equal(await readUntil(sockets[0] as Socket, last), 2_001);
    assert.ok(grown < 300, `${grown} MB`); // of 960; the writes alone take up to 130 MB on Node
    for (const socket of sockets) socket.destroy();
  });
});

/** Over a connection of its own. The code of the error, or nothing where it was answered. */
function readAlone(url: string): Promise<string> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (answer) => answer.resume().on('close', () => resolve(''))).on(
      'error',
      ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'without a code'),
    );
  });
}

/** How many creations were told of, up to that of this record. */
async function readUntil(socket: Socket, last: string): Promise<number> {
  let [seen, rest] = [0, ''];
  const done = Promise.withResolvers<void>();
  socket.once('close', () => done.reject(new Error('it was closed')));
  socket.on('data', (part: string) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    seen += lines.filter((line) => line.startsWith('event: create')).length;
    if (lines.some((line) => line.includes(last))) done.resolve();
  });
  socket.resume();
  await done.promise;
  socket.destroy();
  return seen;
}
