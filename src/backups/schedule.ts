import type { Catalog } from '../catalog/catalog.ts';
import { Failure } from '../failure.ts';
import { type Job, throwWorst } from '../jobs/jobs.ts';
import type { Backups } from './backups.ts';
import { type BackupName, PlaceFailure, timeOf } from './place.ts';

export interface Schedule {
  /** Most milliseconds since the newest backup of a project. */
  readonly every: number;
  /** How many scheduled backups of each project are kept. */
  readonly keep: number;
}

/** Milliseconds to wait after a failure before the next attempt. */
const pause = 10 * 60_000;

/** Makes a backup of each project whose newest one is too old, one after the other, and then removes the oldest. */
export function backupJob(backups: Backups, catalog: Catalog, schedule: Schedule, now: () => number): Job {
  return {
    name: 'backups',
    every: Math.min(Math.max(schedule.every / 10, 5_000), 5 * 60_000),
    async run(signal) {
      const known = await backups.list().catch((error: unknown) => {
        throw asFault("the backups can't be listed, so that none is made", error);
      });
      const faults: unknown[] = [];
      for await (const { id: project } of catalog.allProjects()) {
        if (signal.aborted) return;
        const own = known.filter((one) => one.project === project);
        if (!isDue(own, schedule, now())) continue;
        // An error of one project must not keep the others from being backed up.
        const isMade = await makeOne(backups, project).catch((error: unknown) => void faults.push(error));
        if (!isMade) continue;
        await removeOldest(backups, project, schedule, now()).catch((error: unknown) => {
          faults.push(asFault(`old backups of project '${project}' can't be removed`, error));
        });
      }
      throwWorst(faults);
    },
  };
}

type Known = Awaited<ReturnType<Backups['list']>>;

/** Ignores backups and attempts with a time far in the future, from a clock that was ahead. */
function isDue(own: Known, { every }: Schedule, now: number): boolean {
  const isWithin = (time: number, distance: number) => Math.abs(now - time) < distance;
  return !own.some(({ run, ...name }) =>
    run ? isWithin(run.started, Math.min(pause, every)) : isWithin(timeOf(name), every),
  );
}

/**
 * Whether a new backup was made. If not, another is under way, the project is gone, or it failed, which is logged already. Throws
 * if it could not even be started, which is not logged yet.
 */
async function makeOne(backups: Backups, project: string): Promise<boolean> {
  const started = await backups.start(project, 'schedule').catch((error: unknown) => {
    if (error instanceof Failure && (error.kind === 'absent' || error.kind === 'conflict')) return undefined;
    throw asFault(`no backup of project '${project}' can be begun`, error);
  });
  if (!started) return false;
  return started.done.then(
    () => true,
    () => false,
  );
}

/**
 * Removes only scheduled backups: requested ones stay until somebody deletes them. Never removes the newest: backups that seem
 * newer, from a clock that was far ahead, count as the oldest.
 */
async function removeOldest(
  backups: Backups,
  project: string,
  { every, keep }: Schedule,
  now: number,
): Promise<void> {
  const made = (await backups.list(project)).filter(({ run }) => !run);
  const isAhead = (name: BackupName) => timeOf(name) > now + every;
  let kept = 0;
  for (const name of [...made.filter((one) => !isAhead(one)), ...made.filter(isAhead)]) {
    const manifest = await backups.manifestOf(name);
    if (manifest?.occasion !== 'schedule') continue;
    kept += 1;
    if (kept > Math.max(1, keep)) await backups.remove(name.id);
  }
}

/** A job's Failure of kind `unavailable` counts as an outage of the database and is not logged, but one of the place must be. */
function asFault(what: string, error: unknown): unknown {
  return error instanceof PlaceFailure ? new Error(`${what}: ${error.message}`, { cause: error }) : error;
}
