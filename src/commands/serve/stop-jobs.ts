import type { Jobs } from '../../jobs/jobs.ts';
import type { Log } from '../../log.ts';
import { drainTimeout, within } from './answering.ts';

/**
 * Stops the background jobs. false: some did not end within the drain timeout, such as a mail whose server does not respond. They
 * are abandoned, as all of them can run again.
 */
export async function stopJobs(jobs: Jobs, log: Log): Promise<boolean> {
  if (await within(drainTimeout, jobs.stop())) return true;
  log.info('background work was still under way after 10 s');
  return false;
}
