import { readdirSync, readFileSync } from 'node:fs';

/** A process with all of its descendants, as with `--workers`. */
export function family(pid: number): number[] {
  const parents = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const parent = /^\d+$/.test(entry) ? Number(statOf(Number(entry))[1]) : 0;
    if (parent > 0) parents.set(parent, [...(parents.get(parent) ?? []), Number(entry)]);
  }
  const found = [pid];
  for (const one of found) found.push(...(parents.get(one) ?? []));
  return found;
}

/** What stands behind the name in /proc/<pid>/stat: state, parent …; nothing for a process that is gone. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}

function ownOf(pid: number): number | undefined {
  try {
    const kilobytes = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}

/** MB of its own, with what it started; nothing for a process that is not ours or is gone. */
export function ownMemory(pid: number | undefined): number | undefined {
  if (pid === undefined || ownOf(pid) === undefined) return undefined;
  return family(pid).reduce((sum, one) => sum + (ownOf(one) ?? 0), 0);
}

/** Looks at one process again and again; `most` ends it and gives the most MB of its own that it had. */
export function watchMemory(pid: number): { most(): number } {
  let most = ownOf(pid) ?? 0;
  const look = () => {
    most = Math.max(most, ownOf(pid) ?? 0);
  };
  const timer = setInterval(look, 20);
  return {
    most() {
      clearInterval(timer);
      look();
      return most;
    },
  };
}

/** Milliseconds of processor time used so far: that of all threads comes in steps of ten, that of the first does not. */
function processorTime(pid: number): number {
  const fields = statOf(pid);
  if (fields.length === 0) return 0;
  const all = 10 * (Number(fields[11]) + Number(fields[12]));
  try {
    return Math.max(all, Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6);
  } catch {
    return all;
  }
}

/** Waits until a server has done its deferred work (indexing, checkpoints), so that it does not slow down others. */
export async function settle(pid: number | undefined, patience: number): Promise<void> {
  const end = Date.now() + patience;
  const processes = pid === undefined ? [] : family(pid);
  const used = () => processes.reduce((sum, one) => sum + processorTime(one), 0);
  let quiet = 0;
  while (processes.length > 0 && quiet < 2 && Date.now() < end) {
    const before = used();
    await Bun.sleep(200);
    quiet = used() - before < 5 * processes.length ? quiet + 1 : 0;
  }
}
