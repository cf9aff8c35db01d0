import { auditRetention } from '../../audit/retention.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { type Job, Jobs } from '../../jobs/jobs.ts';
import type { Log } from '../../log.ts';

/** The work beside requests, done here as long as no other node of the instance does it. */
export function startJobs(catalog: Catalog, log: Log): Jobs {
  const jobs: Job[] = [auditRetention(catalog.audit, Date.now)];
  return new Jobs(jobs, { coordination: catalog.coordination, log });
}
