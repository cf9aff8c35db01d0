import { auditRetention } from '../../audit/retention.ts';
import type { Backups } from '../../backups/backups.ts';
import { backupJob } from '../../backups/schedule.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { changeRetention } from '../../changes/retention.ts';
import { type Job, Jobs } from '../../jobs/jobs.ts';
import type { Log } from '../../log.ts';
import { setGauge } from '../../metrics/gauges.ts';
import { Departures } from '../../records/departures.ts';
import { changeLog } from '../../webhooks/change-log.ts';
import { WebhookSender } from '../../webhooks/sender.ts';
import type { CommandContext } from '../command.ts';
import { mailJobs } from './mail.ts';
import { readBackupEvery } from './open-backups.ts';
import { readSendOptions } from './send-options.ts';

/** The background jobs, which run here as long as no other node of the instance runs them. */
export function startJobs(context: CommandContext, catalog: Catalog, backups: Backups, log: Log): Jobs {
  const { flags } = context;
  const departures = new Departures(catalog, Date.now);
  const sending = readSendOptions(context);
  const sender = new WebhookSender({ catalog, log, now: Date.now, sending, changes: changeLog });
  setGauge('webhooksWaiting', () => sender.waiting);
  const { failedSignIns } = catalog;
  const jobs: Job[] = [
    auditRetention(catalog.audit, Date.now),
    changeRetention(catalog, Date.now),
    sender,
    ...mailJobs(flags, catalog, log),
    { name: 'departures', every: 5_000, run: (signal) => departures.finishAll(signal) },
  ];
  if (failedSignIns)
    jobs.push({ name: 'failed sign-ins', every: 60_000, run: () => failedSignIns.prune(Date.now()) });
  const every = readBackupEvery(flags);
  if (every !== undefined)
    jobs.push(backupJob(backups, catalog, { every, keep: flags.number('backup-keep') }, Date.now));
  return new Jobs(jobs, { coordination: catalog.coordination, log });
}
