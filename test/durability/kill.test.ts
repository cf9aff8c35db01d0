import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../../src/model/json.ts';
import { pause } from '../support.ts';
import { Client, type Send } from './client.ts';
import { Dice, seedOf } from './dice.ts';
import { inspect } from './inspect.ts';
import { definitions } from './model.ts';
import { ServerProcess } from './process.ts';
import { checkFilters, checkSearch, ownOf, readAll } from './records.ts';

const long = Boolean(process.env.VITRINE_LONG);
const rounds = long ? 200 : 20;
/** From the start of the process to the first answer about a record, recovery included. */
const readyWithin = 5_000;

const seed = seedOf(process.env);
const dice = new Dice(seed);
const clients = Array.from({ length: 12 }, (_, number) => new Client(number + 1, dice.fork()));

let directory: string;
let server: ServerProcess;
before(async () => {
  console.log(`VITRINE_SEED=${seed}`);
  directory = await mkdtemp(join(tmpdir(), 'vitrine-kill-'));
  server = new ServerProcess(directory);
  await server.listening(readyWithin);
  await made('/v1/_admin/projects', { id: 'p' });
  for (const body of definitions()) await made('/v1/_admin/projects/p/collections', body);
});
after(async () => {
  await server.kill();
  await rm(directory, { recursive: true, force: true });
});

async function made(path: string, body: Json): Promise<void> {
  const answer = await server.send('POST', path, body);
  assert.equal(answer?.status, 201, answer?.text);
}

const send: Send = ({ verb, path, body, idempotencyKey }) =>
  server.send(verb, `/v1/p/${path}`, body, idempotencyKey);
const get = (path: string) => server.send('GET', `/v1/p/${path}`);

/**
 * All clients write as fast as they are answered, until the process is killed: after some time, or the moment some
 * answer arrives, which is when an answer ahead of its commit would show.
 */
async function loadAndKill(): Promise<void> {
  let left = dice.chance(50) ? 1 + dice.below(200) : Number.POSITIVE_INFINITY;
  const patience = Number.isFinite(left) ? 2_000 : dice.chance(20) ? dice.below(40) : 40 + dice.below(400);
  const counted: Send = async (operation) => {
    const answer = await send(operation);
    left -= 1;
    if (left === 0) server.strike();
    return answer;
  };
  const writing = Promise.all(
    clients.map(async (client) => {
      for (;;) {
        const status = await client.write(counted);
        if (status === undefined) return;
        assert.notEqual(status, 503);
      }
    }),
  );
  await Promise.race([pause(patience), writing]);
  await server.kill();
  await writing;
}

/** The file as the crash left it, in a copy: the recovery of the original is the server's to do. */
async function inspectCopy(): Promise<number> {
  const copy = join(directory, 'copy');
  await mkdir(copy, { recursive: true });
  for (const suffix of ['', '-wal']) {
    await copyFile(join(directory, 'projects', `p.db${suffix}`), join(copy, `p.db${suffix}`));
  }
  const records = await inspect(join(copy, 'p.db'));
  await rm(copy, { recursive: true });
  return records;
}

/** Gives how long it took. At times the process is killed while it starts, and started once more. */
async function restart(): Promise<number> {
  if (dice.chance(25)) {
    const starting = new ServerProcess(directory);
    await pause(dice.below(400));
    if (dice.chance(50))
      await starting.listening(readyWithin).then(() => starting.send('GET', '/v1/p/items'));
    await starting.kill();
  }
  const start = performance.now();
  server = new ServerProcess(directory);
  await server.listening(readyWithin);
  for (const path of ['/readyz', '/v1/p/items?perPage=1']) {
    const answer = await server.send('GET', path);
    assert.equal(answer?.status, 200, `${path}: ${answer?.text} ${server.output}`);
  }
  const took = performance.now() - start;
  assert.ok(took < readyWithin, `ready after ${took} ms`);
  return took;
}

describe(`SIGKILL under write load, ${rounds} times`, () => {
  it('loses nothing that was acknowledged and leaves nothing half done', {
    timeout: rounds * 9_000,
  }, async () => {
    const seen = { written: 0, absent: 0, answered: 0, replayed: 0, slowest: 0, records: 0 };
    for (let round = 1; round <= rounds; round++) {
      try {
        await loadAndKill();
        seen.records = await inspectCopy();
        seen.slowest = Math.max(seen.slowest, await restart());
        const found = await readAll(get);
        assert.equal(found.size, seen.records, 'the restart neither adds nor removes');
        for (const client of clients) {
          const state = client.check(ownOf(found, client));
          seen[state] += 1;
          await client.repeat(send, state);
          seen.replayed += await client.replay(send);
        }
        await checkSearch(get, clients, 2);
        await checkFilters(get, await readAll(get), `tag${dice.below(12)}`, dice.below(1000));
        if (round % 4 === 0) await inspect(join(directory, 'projects', 'p.db'));
      } catch (error) {
        throw new Error(`round ${round}, VITRINE_SEED=${seed}: ${error}`, { cause: error });
      }
    }
    const acknowledged = clients.reduce((sum, client) => sum + client.acknowledged, 0);
    console.log({ rounds, acknowledged, ...seen });
    assert.ok(acknowledged > rounds * 20, 'there was load');
    assert.ok(seen.replayed > rounds && seen.written + seen.absent > rounds / 2, 'the kills hit writes');
  });
});
