import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const running = new Set<ChildProcess>();
const directories = new Set<string>();

export const root = join(import.meta.dir, '..');

export interface Child {
  readonly pid: number;
  readonly output: () => string;
  readonly exit: Promise<number | null>;
  stop(): Promise<void>;
}

/** Starts a process of the bench. All are started here, so that `cleanUp` knows them. */
export function start(command: string, words: readonly string[], env: Record<string, string> = {}): Child {
  const child = spawn(command, words, { env: { ...process.env, ...env }, cwd: root });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => {
      if (output.length < 1_000_000) output += part;
    });
  }
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => {
      running.delete(child);
      reject(error);
    });
    child.once('close', (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  exit.catch(() => {});
  return {
    pid: child.pid ?? 0,
    output: () => output,
    exit,
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await exit;
      clearTimeout(late);
    },
  };
}

/** Waits until the output of the child matches `pattern`, and returns its first group. */
export async function printed(child: Child, pattern: RegExp, patience = 15_000): Promise<string> {
  const end = Date.now() + patience;
  while (Date.now() < end) {
    const found = pattern.exec(child.output())?.[1];
    if (found !== undefined) return found;
    await Bun.sleep(5);
  }
  throw new Error(`a server did not start: ${child.output()}`);
}

export async function answers(url: string, patience = 15_000): Promise<void> {
  const end = Date.now() + patience;
  while (Date.now() < end) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    await Bun.sleep(2);
  }
  throw new Error(`nothing answers at ${url}`);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

export function temporary(name: string): string {
  const directory = mkdtempSync(join(tmpdir(), `vitrine-bench-${name}-`));
  directories.add(directory);
  return directory;
}

/** Ends each process of the bench by its id and removes its directories. */
export function cleanUp(): void {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  directories.clear();
}
