import type { ChildProcess } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '../../src/model/json.ts';
import { startChild } from '../children.ts';
import { pause } from '../support.ts';

const main = join(dirname(fileURLToPath(import.meta.url)), '../../src/main.ts');
const adminKey = 'administrators-key';

/** A process of its own, that can be killed. */
export class Server {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #output = '';
  #base = '';

  private constructor(directory: string) {
    const words = [main, 'serve', '--port', '0', '--data', directory];
    const env = { ...process.env, VITRINE_ADMIN_KEY: adminKey };
    this.#child = startChild(process.execPath, words, { env });
    this.#exit = new Promise((resolve) => this.#child.once('close', resolve));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (part: Buffer) => {
        this.#output += part;
      });
    }
  }

  static async start(directory: string): Promise<Server> {
    const server = new Server(directory);
    for (let attempt = 0; attempt < 2_400; attempt++) {
      const base = /Vitrine is at (http:\S+)/.exec(server.#output)?.[1];
      if (base) {
        server.#base = base;
        return server;
      }
      await pause(25);
    }
    throw new Error(`did not start: ${server.#output}`);
  }

  async call(verb: string, path: string, body?: Json): Promise<{ status: number; text: string }> {
    const reply = await fetch(`${this.#base}${path}`, {
      method: verb,
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: reply.status, text: await reply.text() };
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
  }
}
