import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../children.ts';
import { pause } from '../support.ts';
import { Connection } from './connection.ts';
import { workersOf } from './processes.ts';

const main = join(dirname(fileURLToPath(import.meta.url)), '../../src/main.ts');

export const adminKey = 'administrators-key';

/** Milliseconds that a process may take to start, and to say something, on a machine that is busy. */
const patience = 90_000;

/** A parent and its workers, over a directory of their own. */
export class Cluster {
  readonly directory: string;
  readonly #child: ChildProcess;
  readonly exit: Promise<number | null>;
  output = '';

  private constructor(directory: string, words: readonly string[]) {
    this.directory = directory;
    const all = [main, 'serve', '--data', directory, '--log-requests', ...words];
    this.#child = startChild(process.execPath, all, {
      env: { ...process.env, VITRINE_ADMIN_KEY: adminKey },
      detached: true, // a group of its own, as at a terminal
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (part: Buffer) => {
        this.output += part;
      });
    }
    // Of the streams too: when every process that has them is gone.
    this.exit = new Promise((resolve) => this.#child.once('close', resolve));
  }

  static async start(words: readonly string[], directory?: string): Promise<Cluster> {
    const place = directory ?? (await mkdtemp(join(tmpdir(), 'vitrine-workers-')));
    return new Cluster(place, words);
  }

  static async serving(count: number, directory?: string): Promise<Cluster> {
    const cluster = await Cluster.start(['--port', '0', '--workers', String(count)], directory);
    await cluster.says(/Vitrine is at/);
    return cluster;
  }

  get base(): string {
    return /Vitrine is at (http:\S+)/.exec(this.output)?.[1] ?? '';
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Waits until this was printed, as often as that. */
  async says(what: RegExp, times = 1): Promise<void> {
    const all = new RegExp(what, `${what.flags}g`);
    for (const end = performance.now() + patience; (this.output.match(all)?.length ?? 0) < times; ) {
      assert.ok(performance.now() < end, `${what} is not in ${this.output}`);
      await pause(10);
    }
  }

  /** The processes of the workers, in the order of their numbers. */
  workers(): number[] {
    return workersOf(this.pid);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  killGroup(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }

  /** A connection to each worker, in the order of their numbers. The log tells who answered. */
  async connect(count: number): Promise<Connection[]> {
    const found = new Map<number, Connection>();
    const end = performance.now() + patience; // one may only be starting
    for (let attempt = 0; found.size < count && performance.now() < end; attempt++) {
      const connection = await Connection.open(this.base);
      const path = `/v1/who/is-${attempt}-${Math.random()}`;
      await connection.send('GET', path);
      const worker = await this.#answered(path);
      if (!found.has(worker)) found.set(worker, connection);
      else {
        connection.close();
        await pause(5);
      }
    }
    assert.equal(found.size, count, 'every worker answers');
    return [...found].sort(([a], [b]) => a - b).map(([, connection]) => connection);
  }

  async #answered(path: string): Promise<number> {
    const line = new RegExp(`^.*"path":"${path}".*$`, 'm');
    await this.says(line);
    return Number(JSON.parse(line.exec(this.output)?.[0] ?? '{}').worker);
  }

  /** Ends whatever is left of it. */
  async remove(): Promise<void> {
    try {
      this.killGroup('SIGKILL');
    } catch {} // it has ended already
    await this.exit;
    await rm(this.directory, { recursive: true, force: true });
  }
}
