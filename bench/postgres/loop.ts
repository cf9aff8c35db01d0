import { join } from 'node:path';
import { printed, start } from '../children.ts';
import { freshNumbers, type Round } from '../wrk.ts';
import type { Statement } from './statements.ts';

export interface Loop {
  readonly pid: number;
  take(statements: readonly Statement[]): Promise<void>;
  run(inFlight: number, seconds: number): Promise<Round>;
}

/** Starts a process in which the driver does nothing but ask. */
export async function startLoop(url: string, pool: number): Promise<Loop> {
  const child = start(process.execPath, [join(import.meta.dir, 'loop-process.ts'), url, String(pool)]);
  const base = `http://127.0.0.1:${await printed(child, /loop (\d+)\n/)}`;
  return {
    pid: child.pid,
    async take(statements) {
      await fetch(base, { method: 'PUT', body: JSON.stringify(statements) });
    },
    async run(inFlight, seconds) {
      const path = `${inFlight}/${seconds}/${freshNumbers()}`;
      const round = (await (await fetch(`${base}/${path}`, { method: 'POST' })).json()) as Round;
      if (round.errors > 0) throw new Error(`the bare driver failed: ${child.output()}`);
      return round;
    },
  };
}
