import { join } from 'node:path';
import { printed, start } from '../children.ts';
import type { Server } from '../server.ts';

export interface Bare extends Server {
  /** From now on the answer to everything is this. */
  answer(status: number, body: string): Promise<void>;
}

export async function startBare(): Promise<Bare> {
  const child = start(process.execPath, [join(import.meta.dir, 'bare-process.ts')]);
  const [port, control] = (await printed(child, /bare (\d+ \d+)\n/)).split(' ');
  return {
    name: 'bare',
    base: `http://127.0.0.1:${port}`,
    pid: child.pid,
    work: async () => undefined,
    async answer(status, body) {
      const headers = { 'x-status': String(status) };
      await fetch(`http://127.0.0.1:${control}/`, { method: 'PUT', headers, body });
    },
  };
}
