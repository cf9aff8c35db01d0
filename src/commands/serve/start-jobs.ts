import { auditRetention } from '../../audit/retention.ts';
import type { Backups } from '../../backups/backups.ts';
import { backupJob } from '../../backups/schedule.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { type Job, Jobs } from '../../jobs/jobs.ts';
import type { Log } from '../../log.ts';
import type { CommandContext } from '../command.ts';
import { readBackupEvery } from './open-backups.ts';

/** The work beside requests, done here as long as no other node of the instance does it. */
export function startJobs({ flags }: CommandContext, catalog: Catalog, backups: Backups, log: Log): Jobs {
  const jobs: Job[] = [auditRetention(catalog.audit, Date.now)];
  const every = readBackupEvery(flags);
  if (every !== undefined)
    jobs.push(backupJob(backups, catalog, { every, keep: flags.number('backup-keep') }, Date.now));
  return new Jobs(jobs, { coordination: catalog.coordination, log });
}
