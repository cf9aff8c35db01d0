import { join } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { Backups } from '../../backups/backups.ts';
import { backUpBeforeUpgrade } from '../../backups/before-upgrade.ts';
import { folderPlace } from '../../backups/folder.ts';
import type { BackupPlace } from '../../backups/place.ts';
import { S3Bucket } from '../../backups/s3/client.ts';
import { readS3, S3Misuse } from '../../backups/s3/options.ts';
import { s3Place } from '../../backups/s3/s3-place.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Log } from '../../log.ts';
import { setGauge } from '../../metrics/gauges.ts';
import { startBackupThread } from '../../runtime/backup-files.ts';
import type { CommandContext } from '../command.ts';
import { type Flags, type FlagValues, UsageError } from '../flags.ts';

export const backupFlags = {
  'backup-to': {
    kind: 'text',
    summary: 'Where backups are kept: a folder, or s3://bucket/prefix; without it, backups below --data',
  },
  'backup-every': { kind: 'text', summary: 'Makes a backup of each project that often, such as 6h' },
  'backup-keep': {
    kind: 'number',
    summary: 'How many of those stay, of each project',
    fallback: '14',
  },
  'upgrade-without-backup': {
    kind: 'switch',
    summary: 'Upgrades a project that an earlier version made without making a backup of it first',
  },
} as const satisfies Flags;

/** Where backups are kept, from the flags. */
export function readBackupPlace({
  flags,
  environment,
}: Pick<CommandContext, 'flags' | 'environment'>): BackupPlace {
  const to = flags.text('backup-to');
  const ownFolder = join(flags.text('data'), 'backups');
  if (!/^(s3|file):|:\/\//i.test(to)) return folderPlace(to === '' ? ownFolder : to);
  try {
    const { options, prefix } = readS3(to, environment);
    return s3Place(new S3Bucket(options), { prefix, scratch: ownFolder });
  } catch (error) {
    throw error instanceof S3Misuse ? new UsageError(`--backup-to ${error.message}`) : error;
  }
}

/** The backups of a running server: each is made in a thread of its own. */
export function openBackups(context: CommandContext, catalog: Catalog, log: Log): Backups {
  const backups = new Backups({
    ...{ catalog, log, place: readBackupPlace(context) },
    openFiles: startBackupThread,
    now: Date.now,
    vitrine: packageJson.version,
  });
  setGauge('backupAge', () => backups.age());
  const every = readBackupEvery(context.flags);
  if (every !== undefined) setGauge('backupInterval', () => every / 1000);
  if (!context.flags.on('upgrade-without-backup'))
    catalog.beforeUpgrade(backUpBeforeUpgrade(backups, () => performance.now()));
  return backups;
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds; undefined: no scheduled backups. */
export function readBackupEvery(flags: FlagValues): number | undefined {
  const text = flags.text('backup-every');
  if (text === '') return undefined;
  const [, number, unit = ''] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const every = Number(number) * (units[unit] ?? 0);
  if (!(every >= 60_000))
    throw new UsageError(`--backup-every must be a time such as 30m, 6h or 1d, not '${text}'`);
  if (flags.number('backup-keep') < 1) throw new UsageError('--backup-keep must be at least 1');
  return every;
}
