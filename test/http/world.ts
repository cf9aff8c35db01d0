import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Process, serving, vitrine } from '../auth/process.ts';

export const key = 'administrators-key';

export interface Served {
  readonly base: string;
  readonly process: Process;
  close(): Promise<void>;
}

/** The product as a process of its own, with the demo, on the runtime that runs the test. */
export async function serve(...flags: readonly string[]): Promise<Served> {
  const directory = await mkdtemp(join(tmpdir(), 'vitrine-http-'));
  const environment = { VITRINE_ADMIN_KEY: key };
  const words = ['serve', '--demo', '--port', '0', '--data', directory, ...flags];
  const process = vitrine(words, { environment });
  const base = new URL(await serving(process)).origin;
  return {
    base,
    process,
    async close() {
      process.child.kill('SIGKILL');
      await process.exit;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export interface RawAnswer {
  readonly text: string;
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/** Sends bytes as they are; all that comes until the connection is closed or, once something has come, quiet. */
export function raw(base: string, bytes: string | Uint8Array, quietFor = 30_000): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.setTimeout(30_000, () => socket.destroy());
    socket.on('data', (part) => {
      text += part;
      socket.setTimeout(quietFor);
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(readAnswer(text)));
  });
}

/** Also where it ends with a fault, as it does for whoever sends something just as the other end closes it. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

export function readAnswer(text: string): RawAnswer {
  const last = text.replace(/^HTTP\/1.1 100 .*?\r\n\r\n/s, '');
  const end = last.indexOf('\r\n\r\n');
  return {
    text,
    status: Number(/^HTTP\/1.1 (\d+)/.exec(last)?.[1] ?? 0),
    headers: last.slice(0, end).toLowerCase(),
    body: last.slice(end + 4),
  };
}
