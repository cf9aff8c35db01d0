import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../src/model/json.ts';
import { pause, strangerId } from '../support.ts';
import { Client, type Send } from './client.ts';
import type { Dice } from './dice.ts';
import { inspect } from './inspect.ts';
import { definitions } from './model.ts';
import { ServerProcess, type Victim } from './process.ts';
import { checkFilters, checkSearch, ownOf, readAll } from './records.ts';

/** Milliseconds from the start of the process to the first answer about a record, recovery included. */
const oneIsReadyWithin = 5_000;
/** Milliseconds that a process may take to start at all on a machine that is busy. */
const longest = 120_000;

/** A server under load that is killed again and again, and what must hold after each time. */
export class Ordeal {
  readonly seen = { written: 0, absent: 0, answered: 0, replayed: 0, slowest: 0, records: 0 };
  readonly #dice: Dice;
  readonly #workers: number;
  readonly #directory: string;
  readonly #clients: readonly Client[];
  #server: ServerProcess;
  /** How many workers of this server were killed. */
  #replaced = 0;

  private constructor(dice: Dice, workers: number, directory: string) {
    this.#dice = dice;
    this.#workers = workers;
    this.#directory = directory;
    this.#clients = Array.from({ length: 12 }, (_, number) => new Client(number + 1, dice.fork()));
    this.#server = new ServerProcess(directory, workers);
  }

  static async begin(dice: Dice, workers: number): Promise<Ordeal> {
    const ordeal = new Ordeal(dice, workers, await mkdtemp(join(tmpdir(), 'vitrine-kill-')));
    try {
      await ordeal.#prepare();
      return ordeal;
    } catch (error) {
      await ordeal.end();
      throw error;
    }
  }

  async #prepare(): Promise<void> {
    await this.#server.listening(longest);
    await this.#made('/v1/_admin/projects', { id: 'p' });
    for (const body of definitions()) await this.#made('/v1/_admin/projects/p/collections', body);
  }

  async end(): Promise<void> {
    await this.#server.kill();
    await rm(this.#directory, { recursive: true, force: true });
  }

  get acknowledged(): number {
    return this.#clients.reduce((sum, client) => sum + client.acknowledged, 0);
  }

  async round(victim: Victim): Promise<void> {
    const { seen } = this;
    await this.#loadAndStrike(victim);
    if (victim === 'worker') {
      await this.#settle();
      seen.records = await this.inspectFile();
    } else {
      await this.#server.kill(victim);
      seen.records = await this.#inspectCopy();
      seen.slowest = Math.max(seen.slowest, await this.#restart());
    }
    const found = await readAll(this.#get);
    assert.equal(found.size, seen.records, 'nothing is added or removed afterwards');
    for (const client of this.#clients) {
      const state = client.check(ownOf(found, client));
      seen[state] += 1;
      await client.repeat(this.#send, state);
      seen.replayed += await client.replay(this.#send);
    }
    await checkSearch(this.#get, this.#clients, 2);
    const tag = `tag${this.#dice.below(12)}`;
    await checkFilters(this.#get, await readAll(this.#get), tag, this.#dice.below(1000));
  }

  /** The file as the server has it. Gives the number of records. */
  inspectFile(): Promise<number> {
    return inspect(join(this.#directory, 'projects', 'p.db'));
  }

  readonly #send: Send = ({ verb, path, body, idempotencyKey }) =>
    this.#server.send(verb, `/v1/p/${path}`, body, idempotencyKey);
  readonly #get = (path: string) => this.#server.send('GET', `/v1/p/${path}`);

  async #made(path: string, body: Json): Promise<void> {
    const answer = await this.#server.send('POST', path, body);
    assert.equal(answer?.status, 201, answer?.text);
  }

  /**
   * All clients write as fast as they are answered, until the kill: after some time, or the moment some answer
   * arrives, which is when an answer ahead of its commit would show. Who is still answered then goes on for a while.
   */
  async #loadAndStrike(victim: Victim): Promise<void> {
    const dice = this.#dice;
    let left = dice.chance(50) ? 1 + dice.below(200) : Number.POSITIVE_INFINITY;
    const patience = Number.isFinite(left) ? 2_000 : dice.chance(20) ? dice.below(40) : 40 + dice.below(400);
    const choice = dice.below(this.#workers);
    const struck = Promise.withResolvers<void>();
    let over = false;
    const strike = () => {
      left = Number.POSITIVE_INFINITY;
      this.#server.strike(victim, choice);
      struck.resolve();
    };
    const counted: Send = async (operation) => {
      const answer = await this.#send(operation);
      left -= 1;
      if (left === 0) strike();
      return answer;
    };
    const writing = this.#clients.map(async (client) => {
      while (!over) {
        const status = await client.write(counted);
        if (status === undefined) return;
        assert.notEqual(status, 503);
      }
    });
    const timer = setTimeout(strike, patience);
    await Promise.race([struck.promise, Promise.all(writing)]);
    clearTimeout(timer);
    await pause(dice.below(200));
    over = true;
    await Promise.all(writing);
  }

  /** What the killed worker had asked for is done, or will never be. */
  async #settle(): Promise<void> {
    this.#replaced += 1;
    await this.#server.replaced(this.#replaced, longest);
    const behind = await this.#server.send('DELETE', `/v1/p/items/${strangerId}`);
    assert.equal(behind?.status, 404, 'whatever was in line before it is written');
  }

  /** The file as the crash left it, in a copy: the recovery of the original is the server's to do. */
  async #inspectCopy(): Promise<number> {
    const copy = join(this.#directory, 'copy');
    await mkdir(copy, { recursive: true });
    for (const name of ['p.db', 'p.db-wal']) {
      const file = join(this.#directory, 'projects', name);
      // A worker whose parent was killed ends by itself, and the last one to close a file tidies up.
      if (existsSync(file)) await copyFile(file, join(copy, name));
    }
    const records = await inspect(join(copy, 'p.db'));
    await rm(copy, { recursive: true });
    return records;
  }

  /** Gives how long it took. At times the process is killed while it starts, and started once more. */
  async #restart(): Promise<number> {
    const dice = this.#dice;
    if (dice.chance(25)) {
      const starting = new ServerProcess(this.#directory, this.#workers);
      await pause(dice.below(400));
      if (dice.chance(50)) await starting.listening(longest).then(() => starting.send('GET', '/v1/p/items'));
      await starting.kill(dice.chance(50) ? 'all' : 'parent');
    }
    const start = performance.now();
    this.#server = new ServerProcess(this.#directory, this.#workers);
    this.#replaced = 0;
    await this.#server.listening(longest);
    for (const path of ['/readyz', '/v1/p/items?perPage=1']) {
      const answer = await this.#server.send('GET', path);
      assert.equal(answer?.status, 200, `${path}: ${answer?.text} ${this.#server.output}`);
    }
    const took = performance.now() - start;
    if (took < oneIsReadyWithin * this.#workers) return took;
    // Where one that has nothing to recover takes long too, the machine is busy.
    const usual = await this.#startEmpty();
    assert.ok(took < 5 * usual, `ready after ${took} ms, an empty one after ${usual} ms`);
    return took;
  }

  /** How long a server takes to start in a new directory. */
  async #startEmpty(): Promise<number> {
    const directory = await mkdtemp(join(tmpdir(), 'vitrine-empty-'));
    const start = performance.now();
    const server = new ServerProcess(directory, this.#workers);
    try {
      await server.listening(longest);
      return performance.now() - start;
    } finally {
      await server.kill();
      await rm(directory, { recursive: true, force: true });
    }
  }
}
