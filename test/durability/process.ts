import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '../../src/model/json.ts';
import { pause } from '../support.ts';
import type { Answer } from './client.ts';

const main = join(dirname(fileURLToPath(import.meta.url)), '../../src/main.ts');
const adminKey = 'k';

/** A server in a process of its own, to be killed. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #output = '';

  constructor(directory: string) {
    const words = [main, 'serve', '--port', '0', '--data', directory];
    this.#child = spawn(process.execPath, words, { env: { ...process.env, VITRINE_ADMIN_KEY: adminKey } });
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
        headers: {
          authorization: `Bearer ${adminKey}`,
          'content-type': 'application/json',
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

  /** Kills at once. */
  strike(): void {
    this.#child.kill('SIGKILL');
  }

  async kill(): Promise<void> {
    this.strike();
    await this.#exit;
  }
}
