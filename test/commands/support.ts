import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '../../src/model/json.ts';
import { addressOf, startChild } from '../children.ts';

export const main = join(dirname(fileURLToPath(import.meta.url)), '../../src/main.ts');

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Place {
  readonly directory: string;
  readonly data: string;
  /** Runs a command on the runtime that runs the test, to its end. */
  run(words: readonly string[], options?: RunOptions): Promise<Ended>;
  /** The same with `--data`; insists on an exit code. */
  expect(code: number, words: readonly string[], options?: RunOptions): Promise<Ended>;
  write(name: string, content: string | Buffer | Json): Promise<string>;
  path(name: string): string;
  /** Starts a server over the data; its address, and how to end it. */
  serve(): Promise<{ url: string; stop(): Promise<void> }>;
  remove(): Promise<void>;
}

export interface RunOptions {
  readonly environment?: Record<string, string>;
  readonly input?: string;
}

export const key = 'test-key-of-the-administrator';

export function start(words: readonly string[], { environment = {} }: RunOptions = {}) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VITRINE_'));
  return startChild(process.execPath, [main, ...words], {
    env: { ...Object.fromEntries(inherited), ...environment },
  });
}

function run(words: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = start(words, options);
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (part: Buffer) => out.push(part));
  child.stderr.on('data', (part: Buffer) => err.push(part));
  child.stdin.on('error', () => {}); // it may end before it has read everything
  child.stdin.end(options.input ?? '');
  return new Promise((resolve) => {
    child.once('close', (code) => {
      resolve({ code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() });
    });
  });
}

export async function makePlace(): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'vitrine-commands-'));
  const data = join(directory, 'data');
  const path = (name: string) => join(directory, name);
  return {
    directory,
    data,
    path,
    run,
    async expect(code, words, options) {
      const ended = await run([...words, '--data', data], options);
      assert.equal(ended.code, code, `${words.join(' ')}: ${ended.out}${ended.err}`);
      return ended;
    },
    async write(name, content) {
      const text =
        typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content);
      await writeFile(path(name), text);
      return path(name);
    },
    async serve() {
      const child = start(['serve', '--port', '0', '--data', data], {
        environment: { VITRINE_ADMIN_KEY: key },
      });
      const url = await addressOf(child);
      const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
      return {
        url,
        async stop() {
          child.kill('SIGTERM');
          await closed;
        },
      };
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** All records of a collection, through a server that runs for this. */
export async function records(place: Place, path: string): Promise<Record<string, Json>[]> {
  const { url, stop } = await place.serve();
  try {
    return await listed(url, path);
  } finally {
    await stop();
  }
}

export async function listed(url: string, path: string): Promise<Record<string, Json>[]> {
  const answer = await fetch(`${url}/v1/${path}?perPage=1000`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const body = (await answer.json()) as { result: { found: Record<string, Json>[] } };
  assert.equal(answer.status, 200, JSON.stringify(body));
  return body.result.found;
}
