import type { Catalog } from '../catalog/catalog.ts';
import { Failure } from '../failure.ts';
import { type Job, throwWorst } from '../jobs/jobs.ts';
import { defaultChanges } from '../store/project-record.ts';

const [minute, day] = [60_000, 24 * 60 * 60_000];
/** Projects that are checked in one run: each is opened for it. */
const mostTogether = 100;
/** Milliseconds after which it is tried again with one that failed, or that nobody has upgraded yet. */
const afterFailure = 60 * minute;

/**
 * Removes what projects keep no longer of their logs, also of those that nobody uses. When there will be something to
 * remove is known from the last check, so that a project is opened for it once in as many days as it keeps.
 */
export function changeRetention(catalog: Catalog, now: () => number): Job {
  /** By project, the time of the oldest change that is there to be removed one day. */
  const oldest = new Map<string, number>();
  let isStart = true;

  async function trim(id: string, before: number, signal: AbortSignal): Promise<void> {
    if (await catalog.isOutdated(id)) {
      oldest.set(id, before + afterFailure); // whoever opens it upgrades it first
      return;
    }
    for (let more = true; more && !signal.aborted; ) {
      const next = await catalog.keepUp(id, ({ store }) => store.log.forget(before));
      oldest.set(id, next ?? now());
      more = next !== undefined && next < before;
    }
  }

  return {
    name: 'change retention',
    every: minute,
    async run(signal) {
      if (isStart) {
        isStart = false; // there is more urgent work now
        return;
      }
      const [known, failures] = [new Set<string>(), [] as unknown[]];
      let left = mostTogether;
      for await (const { id, changes } of catalog.allProjects()) {
        known.add(id);
        const kept = (changes ?? defaultChanges).days * day;
        if ((oldest.get(id) ?? 0) > now() - kept) continue;
        if (left === 0 || signal.aborted) return;
        left -= 1;
        await trim(id, now() - kept, signal).catch((error: unknown) => {
          oldest.set(id, now() - kept + afterFailure);
          if (!(error instanceof Failure && error.kind === 'absent')) failures.push(error);
        });
      }
      for (const id of oldest.keys()) if (!known.has(id)) oldest.delete(id);
      throwWorst(failures);
    },
  };
}
