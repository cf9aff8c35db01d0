import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { Json } from '../../src/model/json.ts';
import { adminKey } from '../admin-key.ts';
import { start } from '../commands/support.ts';
import type { NamedStorage } from '../storage.ts';
import { type Events, readEvents } from './events.ts';

/** `vitrine serve` over storage that stays, in a process of its own, followed over sockets. */
export class Server {
  readonly #child: ReturnType<typeof start>;
  readonly exit: Promise<number | null>;
  output = '';

  private constructor(words: readonly string[]) {
    this.#child = start(['serve', '--port', '0', ...words], {
      environment: { VITRINE_ADMIN_KEY: adminKey },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on('data', (part: Buffer) => {
        this.output += part;
      });
    }
    this.exit = new Promise((resolve) => this.#child.once('close', resolve));
  }

  static async start({ flags }: NamedStorage, ...words: readonly string[]): Promise<Server> {
    const server = new Server([...flags, ...words]);
    const sign = () => `${server.output.length} ${server.#ticks()}`;
    await server.until(() => server.base !== '', 'it serves', sign);
    return server;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get base(): string {
    return /Vitrine is at (http:\S+)/.exec(this.output)?.[1] ?? '';
  }

  /** Megabytes of memory. */
  resident(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** However long it takes, as long as it does not stand still: `sign` is what shows that it does not. */
  async until(
    isSo: () => boolean,
    what: string,
    sign: () => unknown = () => this.output.length,
  ): Promise<void> {
    for (let [last, since] = [sign(), performance.now()]; !isSo(); ) {
      const now = sign();
      if (now !== last) [last, since] = [now, performance.now()];
      assert.ok(performance.now() - since < 60_000, `${what}: ${this.output.slice(-2_000)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Time on a processor so far, in ticks: grows while a process starts, also where it waits for its turn. */
  #ticks(): string {
    try {
      return readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(' ').slice(13, 15).join(' ');
    } catch {
      return 'it is gone';
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends whatever is left of it. */
  async end(): Promise<void> {
    this.kill('SIGKILL');
    await this.exit;
  }

  /** On a connection of its own, so that any worker may get it. */
  async send(verb: string, path: string, body?: Json): Promise<Record<string, unknown>> {
    const answer = await fetch(`${this.base}${path}`, {
      method: verb,
      headers: {
        ...{ authorization: `Bearer ${adminKey}`, connection: 'close' },
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, text);
    return JSON.parse(text).result;
  }

  /** A project with one collection that is open to all. */
  async fill(): Promise<void> {
    await this.send('POST', '/v1/_admin/projects', { id: 'p' });
    const fields = { text: { type: 'content' } };
    const definition = { id: 'open', fields, api: { access: 'public' } };
    await this.send('POST', '/v1/_admin/projects/p/collections', definition);
  }

  async create(text: string): Promise<string> {
    return String((await this.send('POST', '/v1/p/open', { text }))._id);
  }

  async follow(after: string): Promise<Events> {
    const headers = { accept: 'text/event-stream', connection: 'close' };
    const answer = await fetch(`${this.base}/v1/p/_changes?after=${after}`, { headers });
    assert.equal(answer.status, 200);
    return readEvents(answer);
  }

  /** A client that asks, and reads nothing until it is told to. */
  async stall(): Promise<Socket> {
    const { hostname, port } = new URL(this.base);
    const socket = connect(Number(port), hostname).setEncoding('latin1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.pause();
    const head = ['GET /v1/p/_changes?after=now HTTP/1.1', 'Host: vitrine.test', 'Accept: text/event-stream'];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    return socket;
  }
}
