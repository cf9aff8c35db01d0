import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds on a core, of the thread that serves, which is the process's first, or of the one that writes. */
export function threadTime(pid: number, thread: 'serving' | 'writing'): number {
  const id = thread === 'serving' ? pid : writerOf(pid);
  return Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** By the name that Bun gives to threads of JavaScript. */
function writerOf(pid: number): number {
  const named = readdirSync(`/proc/${pid}/task`).find(
    (thread) => readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim() === 'Worker',
  );
  if (named === undefined) throw new Error('there is no thread that writes');
  return Number(named);
}
