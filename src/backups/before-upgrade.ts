import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import type { Backups } from './backups.ts';
import { reasonOf } from './reasons.ts';

/** Milliseconds for which a failure is repeated, before another attempt is made. */
const pause = 30_000;

/** Makes a backup of a project before its upgrade; others who are about to upgrade it wait for it. `now`: a monotonic clock. */
export function backUpBeforeUpgrade(backups: Backups, now: () => number): (project: string) => Promise<void> {
  const failed = new Map<string, { readonly at: number; readonly failure: Failure }>();
  return async (project) => {
    const before = failed.get(project);
    if (before && now() - before.at < pause) throw before.failure;
    try {
      await makeOrWait(backups, project);
      failed.delete(project);
    } catch (error) {
      const failure = refused(project, error);
      failed.set(project, { at: now(), failure });
      throw failure;
    }
  };
}

async function makeOrWait(backups: Backups, project: string): Promise<void> {
  // Compared with the newest existing backup and not with the time, as the clock of the process that makes one may differ.
  const before = (await backups.newestGood(project)) ?? 0;
  for (;;) {
    const started = await backups.start(project, 'upgrade').catch((error: unknown) => {
      if (!(error instanceof Failure && error.kind === 'conflict')) throw error;
      return undefined; // another is being made
    });
    if (started) {
      await started.done;
      return;
    }
    await sleep(200);
    if (((await backups.newestGood(project)) ?? 0) > before) return; // made by another process just now
  }
}

function refused(project: string, error: unknown): Failure {
  const failure = new Failure(
    'unavailable',
    `The project '${project}' is of an earlier version, and the backup before its upgrade failed: ${reasonOf(error)}`,
    { retryAfter: 30 },
  );
  failure.cause = error;
  return failure;
}
