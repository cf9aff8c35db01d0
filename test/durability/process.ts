import type { ChildProcess } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '../../src/model/json.ts';
import { startChild } from '../children.ts';
import { pause } from '../support.ts';
import { workersOf } from '../workers/processes.ts';
import type { Answer } from './client.ts';

const main = join(dirname(fileURLToPath(import.meta.url)), '../../src/main.ts');
const adminKey = 'administrators-key';

/** Whom a kill hits: all processes of the server, only the one that was started, or one of its workers. */
export type Victim = 'all' | 'parent' | 'worker';

/** A server in a process of its own, or in several, to be killed. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #output = '';

  constructor(directory: string, workers: number) {
    const words = [main, 'serve', '--port', '0', '--data', directory, '--workers', String(workers)];
    this.#child = startChild(process.execPath, words, {
      env: { ...process.env, VITRINE_ADMIN_KEY: adminKey },
      detached: true, // a group of its own, to be killed as one
    });
    // Of its streams too: when its workers are gone as well.
    this.#exit = new Promise((resolve) => this.#child.once('close', resolve));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (part: Buffer) => {
        this.#output += part;
      });
    }
  }

  get output(): string {
    return this.#output;
  }

  get #base(): string | undefined {
    return /Vitrine is at (http:\S+)/.exec(this.#output)?.[1];
  }

  async listening(patience: number): Promise<void> {
    const end = performance.now() + patience;
    while (this.#base === undefined) {
      if (this.#child.exitCode !== null) throw new Error(`ended: ${this.#output}`);
      if (performance.now() > end) throw new Error(`not listening after ${patience} ms: ${this.#output}`);
      await pause(5);
    }
  }

  /** undefined where no whole answer came. */
  async send(verb: string, path: string, body?: Json, key?: string): Promise<Answer | undefined> {
    try {
      const reply = await fetch(`${this.#base}${path}`, {
        method: verb,
        keepalive: false,
        headers: {
          authorization: `Bearer ${adminKey}`,
          'content-type': 'application/json',
          // Any worker may get it; and what breaks off is not sent once more behind our back.
          connection: 'close',
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return {
        status: reply.status,
        text: await reply.text(),
        replayed: reply.headers.get('idempotency-replayed') === 'true',
        retryAfter: reply.headers.get('retry-after'),
      };
    } catch {
      return undefined;
    }
  }

  /** Kills at once. Of several workers one is chosen by `choice`. */
  strike(victim: Victim, choice = 0): void {
    const pid = this.#child.pid ?? 0;
    const workers = victim === 'worker' ? workersOf(pid) : [];
    const target = { all: -pid, parent: pid, worker: workers[choice % workers.length] ?? 0 }[victim];
    if (target === 0 || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      process.kill(target, 'SIGKILL');
    } catch {} // it has ended already
  }

  async kill(victim: Victim = 'all'): Promise<void> {
    this.strike(victim);
    await this.#exit;
  }

  /** Once so many workers that were killed have been replaced. */
  async replaced(times: number, patience: number): Promise<void> {
    const end = performance.now() + patience;
    while ((this.#output.match(/was ended by SIGKILL; another is started/g)?.length ?? 0) < times) {
      if (performance.now() > end) throw new Error(`no other worker after ${patience} ms: ${this.#output}`);
      await pause(5);
    }
  }
}
