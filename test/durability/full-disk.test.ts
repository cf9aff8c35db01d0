import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pause } from '../support.ts';
import { Client, type Send } from './client.ts';
import { Dice, seedOf } from './dice.ts';
import type { Fault } from './faulty.ts';
import { type FaultyApp, startFaultyApp } from './faulty-app.ts';
import { countPending, inspect } from './inspect.ts';
import { checkSearch, ownOf, readAll } from './records.ts';

const [busy, readOnly, ioError, full, movedFile] = [5, 8, 10, 13, 1032];
const kinds: readonly Pick<Fault, 'code' | 'rollsBack'>[] = [
  { code: busy, rollsBack: false },
  { code: ioError, rollsBack: false },
  { code: ioError, rollsBack: true },
  { code: full, rollsBack: false },
  { code: full, rollsBack: true },
];

/** How many statements of a group fail, one in each turn. */
const turns = 'Bun' in globalThis ? 20 : 12;

const seed = seedOf(process.env);
const dice = new Dice(seed);

let app: FaultyApp;
let clients: Client[];
before(() => console.log(`VITRINE_SEED=${seed}`));
beforeEach(async () => {
  app = await startFaultyApp();
  clients = Array.from({ length: 12 }, (_, number) => new Client(number + 1, dice.fork()));
  for (let warm = 0; warm < 5; warm++) assert.equal(await writeTogether(), 0);
});
afterEach(() => app.close());

const send: Send = ({ verb, path, body, idempotencyKey }) =>
  app.call(verb, `/v1/p/${path}`, body, idempotencyKey);
const get = (path: string) => app.call('GET', `/v1/p/${path}`);

/** All clients write at once, so their writes share a group. How many got a 503. */
async function writeTogether(): Promise<number> {
  // A client itself refuses every status but that of success, and 503 with Retry-After.
  const statuses = await Promise.all(clients.map((client) => client.write(send)));
  return statuses.filter((status) => status === 503).length;
}

/** Whoever got a 503 finds nothing of the write, whoever got a 2xx all of it. */
async function checkRecords(told: string): Promise<number> {
  const found = await readAll(get);
  for (const client of clients) assert.notEqual(client.check(ownOf(found, client)), 'written', told);
  assert.deepEqual(app.errors, [], told);
  return found.size;
}

/** One group under a fault, and one after it. */
async function underFault(fault: Fault): Promise<{ refused: number; thrown: number }> {
  const told = `VITRINE_SEED=${seed} ${JSON.stringify(fault)} ${fault.applies}`;
  app.driver.arm(fault);
  const refused = await writeTogether();
  const { thrown } = app.driver.mend();
  await checkRecords(told);
  assert.equal(await writeTogether(), 0, `service goes on: ${told}`);
  assert.equal(await inspect(app.file), await checkRecords(told), told);
  return { refused, thrown };
}

/** Belongs to no client. */
const taken = { key: 900_000_001, title: 'first' };

/** After a write that was refused the next twenty groups are made with a savepoint for each write. */
async function refuseOne(): Promise<void> {
  assert.equal((await app.call('POST', '/v1/p/items', taken)).status, 409);
}

/** Savepoints and their undoing have tests of their own. */
const onWrites = (text: string, path: string) => path === app.file && !/^(SAVEPOINT|ROLLBACK)/.test(text);

describe('a disk that is full, broken or busy', () => {
  for (const kind of kinds) {
    it(`at any statement of a group, ${JSON.stringify(kind)}: 503 or all of it, and service goes on`, async () => {
      let faults = 0;
      for (let at = 0, turn = 0; turn < turns; turn++, at += 1 + dice.below((turn * 60) / turns)) {
        const { refused, thrown } = await underFault({ ...kind, applies: onWrites, after: at, times: 1 });
        assert.ok(thrown > 0 || refused === 0);
        faults += thrown;
      }
      assert.ok(faults > turns / 2, `${faults} faults`);
      await checkSearch(get, clients, 3);
    });
  }

  const places: Readonly<Record<string, RegExp>> = {
    'the beginning of the transaction': /^BEGIN IMMEDIATE/,
    'a savepoint': /^SAVEPOINT/,
    'the end of a savepoint': /^RELEASE/,
    'a record': /^\s*INSERT INTO r\d/,
    'a list value': /INTO l\d/,
    'a search text': /INTO s\d/,
    'a counter': /UPDATE counters/,
    'a key for idempotency': /INTO idempotency/,
    'the commit': /^COMMIT/,
  };
  for (const [place, form] of Object.entries(places)) {
    it(`at ${place}: as often as it fails`, async () => {
      assert.equal((await app.call('POST', '/v1/p/items', taken)).status, 201);
      for (const kind of kinds) {
        for (const times of [1, Number.POSITIVE_INFINITY]) {
          let thrown = 0;
          for (let attempt = 0; attempt < 10 && thrown === 0; attempt++) {
            if (/savepoint/.test(place)) await refuseOne();
            const fault = { ...kind, applies: (text: string) => form.test(text), after: 0, times };
            const outcome = await underFault(fault);
            thrown += outcome.thrown;
            if (outcome.thrown > 0) assert.ok(outcome.refused > 0 || indexing(place), `${place}: no 503`);
          }
          assert.ok(thrown > 0, `${place} was met`);
        }
      }
    });
  }

  it('at the undoing of a refused write: the others of its group are not answered with its refusal', async () => {
    assert.equal((await app.call('POST', '/v1/p/items', taken)).status, 201);
    for (const kind of kinds) {
      app.driver.arm({ ...kind, applies: (text) => /^ROLLBACK TO/.test(text), after: 0, times: 1 });
      const [refused, other] = await Promise.all([
        app.call('POST', '/v1/p/items', taken),
        app.call('POST', '/v1/p/items', { title: 'other' }),
      ]);
      assert.equal(app.driver.mend().thrown, 1);
      assert.ok([409, 503].includes(refused.status), refused.text);
      assert.ok([201, 503].includes(other.status), `${JSON.stringify(kind)}: ${other.status} ${other.text}`);
      assert.equal((await app.call('POST', '/v1/p/items', { title: 'after' })).status, 201);
      await inspect(app.file);
    }
  });

  it('or may not be written to is a 503 too, which says so, and the log says what to do, once', async () => {
    const applies = (text: string) => /^BEGIN IMMEDIATE/.test(text);
    app.driver.arm({ code: readOnly, rollsBack: false, applies, after: 0, times: Number.POSITIVE_INFINITY });
    for (let nth = 0; nth < 2; nth++) {
      const { status, retryAfter, text } = await app.call('POST', '/v1/p/items', { title: 'x' });
      assert.deepEqual([status, retryAfter !== null], [503, true]);
      assert.match(text, /The database is read-only right now, and nothing was saved: try again once /);
    }
    app.driver.mend();
    const remedy =
      'the data directory and its files must be writable for the user that runs the server, and their file system too';
    assert.deepEqual(app.told, [
      `requests are refused for now: attempt to write a readonly database: ${remedy}`,
    ]);
    assert.deepEqual(app.errors, []);
  });

  it('is not called read-only where it is anything else', async () => {
    const applies = (text: string) => /^BEGIN IMMEDIATE/.test(text);
    for (const code of [busy, ioError, full, movedFile]) {
      app.driver.arm({ code, rollsBack: false, applies, after: 0, times: 1 });
      const { status, text } = await app.call('POST', '/v1/p/items', { title: 'x' });
      app.driver.mend();
      assert.equal(status, 503);
      assert.match(text, /The database can't be written or read right now: try again/);
    }
  });

  it('a key whose request got a 503 is free: the same request again is made, once', async () => {
    for (const kind of kinds) {
      const body = { key: Math.floor(performance.now() * 1000) + 900_000_000_000, title: 'once' };
      app.driver.arm({ ...kind, applies: (text) => /INTO idempotency/.test(text), after: 0, times: 1 });
      const first = await app.call('POST', '/v1/p/items', body, `again-${body.key}`);
      app.driver.mend();
      assert.deepEqual([first.status, first.retryAfter !== null], [503, true], first.text);
      const second = await app.call('POST', '/v1/p/items', body, `again-${body.key}`);
      assert.deepEqual([second.status, second.replayed], [201, false], second.text);
      const third = await app.call('POST', '/v1/p/items', body, `again-${body.key}`);
      assert.deepEqual([third.text, third.replayed], [second.text, true]);
      const { _id } = (JSON.parse(second.text) as { result: { _id: string } }).result;
      assert.equal((await app.call('DELETE', `/v1/p/items/${_id}`)).status, 200);
    }
  });

  it('in the indexing of texts: no request fails for it alone, search finds all, and it is made up for', async () => {
    for (const kind of kinds) {
      await until(allIndexed);
      app.driver.arm({ ...kind, applies: (text) => /INTO t\d/.test(text), after: 0, times: 3 });
      while (app.driver.thrown === 0) assert.equal(await writeTogether(), 0);
      await checkSearch(get, clients, 3);
      await until(async () => app.driver.thrown === 3 && (await allIndexed()));
      app.driver.mend();
      assert.equal(await inspect(app.file), await checkRecords('indexing'));
      await checkSearch(get, clients, 3);
    }
  });

  it('while reading: 503, and the next request is answered', async () => {
    const reads = ['items', 'items?search=lamp', 'items?after=', 'items/distinct?fields=tags', 'items?n>=1'];
    for (const path of reads) {
      for (const { code } of kinds) {
        await turn(); // what was read in the same turn of the event loop is not read again
        app.driver.arm({
          code,
          rollsBack: false,
          applies: (text) => /SELECT|data_version/.test(text), // the latter alone, where nothing was written meanwhile
          after: 0,
          times: 1,
        });
        const answer = await get(path);
        app.driver.mend();
        assert.deepEqual([answer.status, answer.retryAfter !== null], [503, true], `${path}: ${answer.text}`);
        assert.equal((await get(path)).status, 200);
      }
    }
  });
});

/** A step of the background, which may be all that a place was met by. */
const indexing = (place: string) => /transaction|savepoint|commit/.test(place);

const allIndexed = async () => (await countPending(app.file)) === 0;

/** Waits for what the background does. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(10);
}
