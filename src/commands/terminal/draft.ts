import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * The path at which a file is written before it gets its final name: beside it, with a name unique to this process, as another
 * may write the same file at the same time. Drafts of processes that have ended are removed.
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

/** Whether it is a running process other than this one. */
function isOther(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it runs as another user
  }
}
