import type { ChildProcess } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '../../src/model/json.ts';
import { adminKey } from '../admin-key.ts';
import { startChild } from '../children.ts';
import { pause } from '../support.ts';

const main = join(dirname(fileURLToPath(import.meta.url)), '../../src/main.ts');
const startsWithin = 90_000;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly ok: boolean; readonly result: Record<string, unknown>; readonly error: string };
  /** Milliseconds from the request to the end of the answer. */
  readonly took: number;
  /** Of these, those in which the machine stood still. */
  readonly held: number;
}

export interface Sending {
  readonly body?: Json;
  /** As Bearer token; the administrator's where nothing is said. */
  readonly token?: string | undefined;
  readonly key?: string;
}

/** Milliseconds between two looks at how late it is, and how late is no chance of the moment. */
const [look, late] = [100, 100];

/** Counts the milliseconds in which this process had no turn, as any other of the machine, until it is told to end. */
export function watchMachine(): () => number {
  let [held, last] = [0, performance.now()];
  const note = () => {
    const waited = performance.now() - last - look;
    if (waited > late) held += waited;
    last = performance.now();
  };
  const timer = setInterval(note, look);
  return () => {
    note();
    clearInterval(timer);
    return held;
  };
}

/** A node: `vitrine serve --database …` in a process of its own. */
export class NodeProcess {
  readonly #child: ChildProcess;
  readonly exit: Promise<number | null>;
  #output = '';

  constructor(database: string, ...flags: readonly string[]) {
    const words = [main, 'serve', '--port', '0', '--database', database, ...flags];
    this.#child = startChild(process.execPath, words, {
      env: { ...process.env, VITRINE_ADMIN_KEY: adminKey },
    });
    this.exit = new Promise((resolve) => this.#child.once('close', resolve));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (part: Buffer) => {
        this.#output += part;
      });
    }
  }

  static async start(database: string, ...flags: readonly string[]): Promise<NodeProcess> {
    const node = new NodeProcess(database, ...flags);
    const end = performance.now() + startsWithin;
    while (node.#base === undefined) {
      if (node.#child.exitCode !== null || performance.now() > end) throw new Error(node.#output);
      await pause(10);
    }
    return node;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get output(): string {
    return this.#output;
  }

  /** What the node took for a bug of its own. */
  get errors(): string[] {
    return this.#output.split('\n').filter((line) => line.includes('"level":"error"'));
  }

  async send(verb: string, path: string, { body, token, key }: Sending = {}): Promise<Answer> {
    const start = performance.now();
    const endWatch = watchMachine();
    try {
      const reply = await fetch(`${this.#base}${path}`, {
        method: verb,
        keepalive: false,
        headers: {
          connection: 'close', // what breaks off is not sent once more behind our back
          ...(token !== '' && { authorization: `Bearer ${token ?? adminKey}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      const { status, headers } = reply;
      const took = performance.now() - start;
      return { status, headers, body: JSON.parse(text), took, held: endWatch() };
    } finally {
      endWatch();
    }
  }

  async kill(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<number | null> {
    this.#child.kill(signal);
    return this.exit;
  }

  get #base(): string | undefined {
    return /Vitrine is at (http:\S+)/.exec(this.#output)?.[1];
  }
}
