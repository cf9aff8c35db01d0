import type { Job } from '../jobs/jobs.ts';
import type { AuditLog } from '../store/audit.ts';

const days = 90;
/** Most entries kept of failed sign-ins with addresses of no administrator, which anybody can cause. */
const mostNameless = 10_000;

export function auditRetention(entries: AuditLog, now: () => number): Job {
  return {
    name: 'audit retention',
    every: 10 * 60_000,
    run: () => entries.prune(now() - days * 24 * 60 * 60_000, mostNameless),
  };
}
