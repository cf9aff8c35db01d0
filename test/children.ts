import { type ChildProcess, spawn } from 'node:child_process';

/** How a process is told to end from outside. Without a listener nobody who waits for its end would hear of it. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let works: Set<() => void> | undefined;

/** Has `work` done when this process ends, whatever ends it. Returns what takes that back. */
export function atExit(work: () => void): () => void {
  if (!works) {
    works = new Set();
    process.once('exit', () => works?.forEach(quietly));
    for (const signal of signals) process.once(signal, () => process.exit(1));
  }
  works.add(work);
  return () => works?.delete(work);
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {} // the others are to be done all the same
}

/** `spawn`, for a process that is not to outlive the test that started it, also where that fails and forgets it. */
export const startChild = ((program: string, words: readonly string[], options: object = {}) => {
  const child: ChildProcess = spawn(program, words, options);
  const isGroup = 'detached' in options && options.detached === true;
  const forget = atExit(() => {
    if (child.pid !== undefined) process.kill(isGroup ? -child.pid : child.pid, 'SIGKILL');
  });
  child.once('error', forget).once('close', forget);
  return child;
}) as typeof spawn;

/** Where a server that was started answers, once it says so. */
export function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const take = (part: Buffer) => {
      output += part;
      const found = /Vitrine is at (http:\S+)/.exec(output)?.[1];
      if (found) resolve(found);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('close', (code, signal) => reject(new Error(`${signal ?? `exit ${code}`}: ${output}`)));
  });
}
