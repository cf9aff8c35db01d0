import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Where a file is made before it gets its name: beside its place, by a name of this process alone, as another may write the same
 * file at the same time. What processes that have ended left there is removed.
 */
export async function clearDraft(path: string): Promise<string> {
  const folder = dirname(path);
  const start = `${basename(path)}.incomplete-`;
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid] = name.startsWith(start) ? (/^(\d+)(?:-\w+)?$/.exec(name.slice(start.length)) ?? []) : [];
    if (pid !== undefined && !isOther(Number(pid))) await rm(join(folder, name), { force: true });
  }
  return `${path}.incomplete-${process.pid}`;
}

/** Whether it is a process that runs, and not this one. */
function isOther(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // somebody else's
  }
}
