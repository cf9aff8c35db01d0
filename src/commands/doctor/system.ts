import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { type Finding, fault, inBytes, ok, warning } from './finding.ts';

/** Each connection uses a file descriptor, and each open project several. */
const fewFiles = 4_096;
const littleMemory = 256_000_000;

export interface SystemFiles {
  /** undefined if there is no such file, or the system is not Linux. */
  read(path: string): string | undefined;
}

export const linuxFiles: SystemFiles = {
  read(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
};

export function checkLimits(system: SystemFiles): Finding[] {
  const findings: Finding[] = [];
  const [, soft] = /^Max open files\s+(\S+)/m.exec(system.read('/proc/self/limits') ?? '') ?? [];
  if (soft !== undefined && soft !== 'unlimited' && Number(soft) < fewFiles)
    findings.push(
      warning(
        'limits',
        `a process may have ${soft} files open`,
        'ulimit -n 65536 before the start, or LimitNOFILE=65536 in the systemd unit: each connection is one',
      ),
    );
  const limit = Number(system.read('/sys/fs/cgroup/memory.max') ?? Number.NaN);
  const memory = Math.min(totalmem(), Number.isFinite(limit) ? limit : Number.POSITIVE_INFINITY);
  if (memory < littleMemory)
    findings.push(
      warning(
        'limits',
        `${inBytes(memory)} of memory`,
        'give it 256 MB and more, or one worker and --readers 1',
      ),
    );
  if (findings.length === 0)
    findings.push(ok('limits', `${soft ?? 'any number of'} open files, ${inBytes(memory)} of memory`));
  return findings;
}

/** When this version was written: a correct clock can't be earlier. */
const written = Date.UTC(2026, 10, 1);

/** `newest`: the latest time in the data; `there`: the time of the database server. */
export function checkClock(now: number, newest: number | undefined, there?: number): Finding {
  const setIt = 'synchronise the clock (chrony, systemd-timesyncd): tokens and positions depend on it';
  const sinceThen = `${setIt}; where it is right and was ahead before, new records have that time until it comes`;
  const said = new Date(now).toISOString();
  if (now < written) return fault('clock', `it says ${said}`, setIt);
  const apart = there === undefined ? 0 : Math.abs(there - now) / 1000;
  if (apart > 60) return fault('clock', `it is ${apart.toFixed(0)} s from the database's`, setIt);
  if (newest !== undefined && newest > now + 60_000)
    return warning(
      'clock',
      `it says ${said}, but the data is of ${new Date(newest).toISOString()}`,
      sinceThen,
    );
  if (apart > 2) return warning('clock', `it is ${apart.toFixed(1)} s from the database's`, setIt);
  return ok('clock', said);
}
