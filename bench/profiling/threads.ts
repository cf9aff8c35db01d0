import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds: on a core, and waiting for one. */
export interface ThreadTime {
  readonly running: number;
  readonly waiting: number;
}

/** The thread that serves, which is the process's first, or the one that writes. */
export function threadTime(pid: number, thread: 'serving' | 'writing'): ThreadTime {
  const [running = 0, waiting = 0] = readTask(pid, thread === 'serving' ? pid : writerOf(pid)).map(Number);
  return { running: running / 1e6, waiting: waiting / 1e6 };
}

function readTask(pid: number, thread: number): string[] {
  return readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
}

/** By the name that Bun gives to threads of JavaScript. */
function writerOf(pid: number): number {
  const named = readdirSync(`/proc/${pid}/task`).find(
    (thread) => readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim() === 'Worker',
  );
  if (named === undefined) throw new Error('there is no thread that writes');
  return Number(named);
}

export function since(before: ThreadTime, now: ThreadTime): ThreadTime {
  return { running: now.running - before.running, waiting: now.waiting - before.waiting };
}
