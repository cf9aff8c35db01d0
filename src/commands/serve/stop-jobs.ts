import type { Jobs } from '../../jobs/jobs.ts';
import type { Log } from '../../log.ts';
import { drainTimeout, within } from './answering.ts';

/**
 * Ends the work beside requests. false: some of it has not ended in the time that requests have, such as a mail whose server
 * says nothing. It is not waited for: all of it can be done again.
 */
export async function stopJobs(jobs: Jobs, log: Log): Promise<boolean> {
  if (await within(drainTimeout, jobs.stop())) return true;
  log.info('background work was still under way after 10 s');
  return false;
}
