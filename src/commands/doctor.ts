import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { SqliteDriver } from '../store/engines/sqlite/connection/driver.ts';
import type { Command, CommandContext } from './command.ts';
import { checkDisk } from './doctor/disk.ts';
import { checkFiles, inspect, projectFiles } from './doctor/files.ts';
import { type Finding, fault, type Status } from './doctor/finding.ts';
import { checkBackups, checkMail } from './doctor/services.ts';
import { checkClock, checkLimits, linuxFiles } from './doctor/system.ts';
import { isEmptyDirectory, placeFlags, readServerPlace } from './engine/place.ts';
import { reasonOf } from './engine/reasons.ts';
import { mailFlags } from './serve/mail.ts';
import { backupFlags, readBackupEvery, readBackupPlace } from './serve/open-backups.ts';
import { type Colour, painter } from './terminal/colours.ts';

export const doctor: Command = {
  summary: 'Checks a data directory or a PostgreSQL database, and says what to do',
  usage: ' [flags]',
  flags: {
    ...placeFlags,
    ...backupFlags,
    ...mailFlags,
    full: {
      kind: 'switch',
      summary: 'Reads every page and index of the files: thorough, and slow on large ones',
    },
    json: { kind: 'switch', summary: 'Prints the findings as JSON' },
  },
  notes: `It changes no data, and may run beside the server. Give it the flags and variables that the server has.
Exit codes: 0 there is no fault (there may be warnings), 1 there is one, 2 a wrong flag.`,
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { flags, out, screen } = context;
  const findings = await examine(context);
  const good = findings.every(({ status }) => status !== 'fault');
  if (flags.on('json')) out(`${JSON.stringify({ ok: good, findings }, null, 2)}\n`);
  else out(findings.map((finding) => line(finding, screen.colour)).join(''));
  return good ? 0 : 1;
}

async function examine(context: CommandContext): Promise<Finding[]> {
  const { flags } = context;
  const place = readServerPlace(flags);
  const backups = readBackupPlace(context);
  const every = readBackupEvery(flags);
  const data =
    place.kind === 'database'
      ? await (await import('./doctor/database.ts')).checkDatabase(place.address)
      : isClosed(place.path)
        ? [
            fault(
              'data',
              `'${place.path}' can't be read by you`,
              'run it as the user of the server, or as root',
            ),
          ]
        : isEmptyDirectory(place)
          ? [fault('data', `there is no data in '${place.path}'`, 'name the directory with --data')]
          : checkDirectory(context, place.path);
  return [
    ...data,
    ...checkLimits(linuxFiles),
    ...(await checkMail(flags.text('mail'), flags.text('mail-from'), flags.text('public-url'))),
    await checkBackups(backups, every, Date.now()),
  ];
}

/** Whether it is there, for others. */
function isClosed(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES';
  }
}

function checkDirectory({ runtime: { sqlite }, flags }: CommandContext, path: string): Finding[] {
  try {
    const disk = checkDisk(path); // first: when a file is opened, SQLite truncates a write-ahead log that nobody uses
    return [
      ...checkFiles(sqlite, path, flags.on('full')),
      ...disk,
      checkClock(Date.now(), newestTime(sqlite, path)),
    ];
  } catch (error) {
    return [
      fault('data', `'${path}' can't be read: ${reasonOf(error)}`, 'run this as the user of the server'),
    ];
  }
}

/** The latest time in the data: new records never get an earlier time than the last one. */
function newestTime(driver: SqliteDriver, directory: string): number | undefined {
  const find = (file: string, question: string) => {
    try {
      const [[newest] = []] = inspect(driver, join(directory, file), (rows) => rows(question));
      return typeof newest === 'number' ? [newest] : [];
    } catch {
      return []; // errors of the file are reported already
    }
  };
  const times = [
    ...find('instance.db', 'SELECT max(updated) FROM projects'),
    ...projectFiles(directory).flatMap((file) => find(file, 'SELECT max(created) FROM counters')),
  ];
  return times.length === 0 ? undefined : Math.max(...times);
}

const labels: Readonly<Record<Status, readonly [Colour, string]>> = {
  ok: ['green', 'ok     '],
  warning: ['yellow', 'warning'],
  fault: ['red', 'fault  '],
};

function line({ check, status, message, advice }: Finding, colour: boolean): string {
  const [name, word] = labels[status];
  const paint = painter(colour);
  const todo = advice === undefined ? '' : `${' '.repeat(27)}${paint('bold', `→ ${advice}`)}\n`;
  return `${paint(name, word)}  ${check.padEnd(16)}  ${message}\n${todo}`;
}
