import { readdirSync, type Stats, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, fault, inBytes, ok, warning } from './finding.ts';

const mega = 1_000_000;

/** Checks free space, write-ahead logs, file permissions and the type of the file system. */
export function checkDisk(directory: string): Finding[] {
  const files = listFiles(directory);
  return [...checkSpace(directory, files), checkLogs(files), checkModes(files), ...checkKind(directory)];
}

interface File {
  readonly path: string;
  readonly stats: Stats;
}

function listFiles(directory: string): File[] {
  return ['.', ...namesBelow(directory)].flatMap((path) => {
    try {
      return [{ path, stats: statSync(join(directory, path)) }];
    } catch {
      return []; // removed meanwhile, as logs are
    }
  });
}

/** Folders that can't be read are not ours, such as the lost+found of a disk. */
function namesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [entry.name];
    try {
      const below = namesBelow(join(directory, entry.name));
      return [entry.name, ...below.map((name) => join(entry.name, name))];
    } catch {
      return [entry.name]; // or removed meanwhile
    }
  });
}

function checkSpace(directory: string, files: readonly File[]): Finding[] {
  const { bavail, bsize, ffree, files: inodes } = statfsSync(directory);
  const free = bavail * bsize;
  const largest = Math.max(
    0,
    ...files.filter(({ path }) => path.endsWith('.db')).map(({ stats }) => stats.size),
  );
  const summary = `${inBytes(free)} free`;
  const findings: Finding[] = [];
  if (inodes > 0 && ffree < 1_000)
    findings.push(fault('disk', `${ffree} files can still be made`, 'free inodes, or move the data'));
  if (free < 100 * mega)
    return [...findings, fault('disk', summary, 'free space now: writes fail when there is none')];
  if (free < Math.max(1_000 * mega, 2 * largest))
    return [
      ...findings,
      warning(
        'disk',
        `${summary}, the largest project takes ${inBytes(largest)}`,
        'free space: a schema change and a backup each need room for a copy of a project',
      ),
    ];
  return [...findings, ok('disk', summary)];
}

/** A log has at most 16 MB, unless a read takes long or the server was killed under load. */
function checkLogs(files: readonly File[]): Finding {
  const logs = files.filter(({ path }) => path.endsWith('-wal'));
  const large = logs.find(({ stats }) => stats.size > 256 * mega);
  if (large)
    return warning(
      'write-ahead log',
      `${large.path} is ${inBytes(large.stats.size)}`,
      'a reader keeps it from being emptied: end long exports and other programs that have the file open, or restart',
    );
  return ok('write-ahead log', inBytes(logs.reduce((sum, { stats }) => sum + stats.size, 0)));
}

function checkModes(files: readonly File[]): Finding {
  const own = process.getuid?.();
  if (own === undefined) return ok('file modes', 'not checked on this system');
  const isOurs = ({ path }: File) =>
    path === '.' || (/^(projects|instance\.db|serve\.lock|backups)/.test(path) && !/lost\+found/.test(path));
  const owner = files.find(({ path }) => path === 'instance.db')?.stats.uid;
  const foreign = files.filter(isOurs).find(({ stats }) => stats.uid !== owner);
  if (owner !== undefined && foreign)
    return fault(
      'file modes',
      `${foreign.path} belongs to user ${foreign.stats.uid}, instance.db to ${owner}`,
      `chown -R ${owner} the directory: the server can't write what belongs to another user`,
    );
  const open = files.filter(isOurs).find(({ stats }) => (stats.mode & 0o077) !== 0);
  if (open)
    return warning(
      'file modes',
      `others may read ${open.path} (${(open.stats.mode & 0o777).toString(8)})`,
      'chmod -R go= the directory: it holds password hashes and keys; the next start does it too',
    );
  if (own !== 0 && owner !== undefined && owner !== own)
    return warning(
      'file modes',
      `the files belong to user ${owner}, and this is user ${own}`,
      'run the server and this command as the user who owns the files',
    );
  return ok('file modes', 'for their owner alone');
}

/** Remote file systems by their Linux magic numbers: SQLite needs reliable locks and memory shared between processes. */
const remote = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
]);

function checkKind(directory: string): Finding[] {
  const kind = process.platform === 'linux' ? remote.get(Number(statfsSync(directory).type)) : undefined;
  if (kind === undefined) return [];
  return [
    fault(
      'file system',
      `the directory is on ${kind}`,
      'keep the data on a disk of this machine, or in a PostgreSQL',
    ),
  ];
}
