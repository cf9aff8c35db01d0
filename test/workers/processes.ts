import { readdirSync, readFileSync } from 'node:fs';

/** The processes of the workers that a process has started, in the order of their numbers. */
export function workersOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map((name) => ({ pid: Number(name), number: numberOf(name) }))
    .sort((a, b) => a.number - b.number)
    .map(({ pid }) => pid);
}

export function isRunning(pid: number): boolean {
  return parentOf(String(pid)) !== undefined;
}

/** Of a process that runs: neither of one that has ended nor of one that only waits for that to be noticed. */
function parentOf(pid: string): number | undefined {
  const [, state, parent] = /\) (\S) (\d+)/.exec(readOf(pid, 'stat')) ?? [];
  return state === undefined || state === 'Z' ? undefined : Number(parent);
}

function numberOf(pid: string): number {
  return Number(/(?:^|\0)VITRINE_WORKER=(\d+)/.exec(readOf(pid, 'environ'))?.[1]);
}

function readOf(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // it has just ended
  }
}
