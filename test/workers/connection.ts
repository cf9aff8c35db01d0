import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Json } from '../../src/model/json.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: { ok: boolean; result: Record<string, unknown>; error: string };
}

export interface SendOptions {
  readonly body?: Json;
  readonly token?: string;
}

/** One connection: all requests go to the process that has it, also those that are sent before earlier ones are answered. */
export class Connection {
  readonly #socket: Socket;
  #received = '';
  #wake: () => void = () => {};
  #closed = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(socket: Socket) {
    this.#socket = socket.setEncoding('latin1');
    socket.on('data', (part: string) => {
      this.#received += part;
      this.#wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  static async open(base: string): Promise<Connection> {
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Connection(socket);
  }

  async send(verb: string, path: string, { body, token }: SendOptions = {}): Promise<Answer> {
    const content = body === undefined ? '' : JSON.stringify(body);
    const head = [
      `${verb} ${path} HTTP/1.1`,
      'Host: vitrine.test',
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      ...(body === undefined ? [] : ['Content-Type: application/json']),
      `Content-Length: ${Buffer.byteLength(content)}`,
    ];
    this.#socket.write(`${head.join('\r\n')}\r\n\r\n${content}`);
    const answer = this.#last.then(() => this.#answer());
    this.#last = answer.catch(() => {});
    return answer;
  }

  close(): void {
    this.#socket.destroy();
  }

  async #answer(): Promise<Answer> {
    const head = await this.#take(/^[\s\S]*?\r\n\r\n/);
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    const raw = length === undefined ? await this.#chunks() : await this.#bytes(Number(length));
    const text = Buffer.from(raw, 'latin1').toString('utf8');
    return { status, text, body: JSON.parse(text) };
  }

  async #chunks(): Promise<string> {
    for (let all = ''; ; ) {
      const size = Number.parseInt(await this.#take(/^[0-9a-f]+\r\n/i), 16);
      const part = await this.#bytes(size + 2);
      if (size === 0) return all;
      all += part.slice(0, size);
    }
  }

  #bytes(length: number): Promise<string> {
    return this.#take(new RegExp(`^[\\s\\S]{${length}}`));
  }

  async #take(form: RegExp): Promise<string> {
    for (;;) {
      const [found] = form.exec(this.#received) ?? [];
      if (found !== undefined) {
        this.#received = this.#received.slice(found.length);
        return found;
      }
      if (this.#closed) throw new Error('the connection was closed');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
