import { join } from 'node:path';
import { printed, start } from '../children.ts';
import type { Server } from '../server.ts';

export interface Bare extends Server {
  /** From now on the answer to everything is this one, which some other server gave. */
  answer(response: Response): Promise<void>;
}

/** Those that a server sets by itself. */
const own = new Set(['date', 'content-length', 'connection', 'keep-alive', 'transfer-encoding']);

const headersOf = ({ headers }: Response) => [...headers].filter(([name]) => !own.has(name)).sort();

/** `processes`: so many that share one port. */
export async function startBare(processes = 1): Promise<Bare> {
  const script = join(import.meta.dir, 'bare-process.ts');
  const controls: string[] = [];
  let port = '0';
  let pid = 0;
  for (let index = 0; index < processes; index++) {
    const child = start(process.execPath, [script, port]);
    const [taken = '', control = ''] = (await printed(child, /bare (\d+ \d+)\n/)).split(' ');
    port = taken;
    controls.push(control);
    pid ||= child.pid;
  }
  const base = `http://127.0.0.1:${port}`;
  return {
    name: 'bare',
    base,
    pid,
    work: async () => undefined,
    async answer(response) {
      const wanted = headersOf(response);
      const body = await response.text();
      const headers = { 'x-status': String(response.status), 'x-headers': JSON.stringify(wanted) };
      for (const control of controls) {
        await fetch(`http://127.0.0.1:${control}/`, { method: 'PUT', headers, body });
      }
      const given = await fetch(base);
      const same =
        given.status === response.status &&
        JSON.stringify(headersOf(given)) === JSON.stringify(wanted) &&
        (await given.text()) === body;
      if (!same) throw new Error('the bare server does not answer what the product answers');
    },
  };
}
