import { setTimeout as sleep } from 'node:timers/promises';
import type { BackupTools } from './make-backup.ts';
import { timeOf } from './place.ts';

/** Milliseconds for which the list is reused: a bucket costs something to list. */
const holds = 60_000;
/**
 * Milliseconds that a scrape of the metrics waits for the list. This is shorter than the metrics wait for a gauge, so that the
 * answer is the last known age plus the time since then, and not the last age unchanged.
 */
const longestWait = 250;
/**
 * Milliseconds that the clock of whoever made a backup may be ahead of ours. A backup from further ahead does not count, as its
 * time says nothing about its age.
 */
const mostAhead = 3_600_000;

/**
 * How old the backups are. While they can't be listed, the last result stands: an alarm must not fall silent because the
 * storage is out of reach.
 */
export class BackupAge {
  readonly #tools: Pick<BackupTools, 'catalog' | 'place' | 'now'>;
  #found: { readonly at: number; readonly oldest: number } | undefined;
  #looking: Promise<void> | undefined;

  constructor(tools: Pick<BackupTools, 'catalog' | 'place' | 'now'>) {
    this.#tools = tools;
  }

  /**
   * Seconds since the last good backup of the project that has waited longest for one; since the project was made, if it has
   * none. NaN: not known.
   */
  async seconds(): Promise<number> {
    const { now } = this.#tools;
    if (!this.#found || now() - this.#found.at >= holds) {
      this.#looking ??= this.#look();
      await Promise.race([this.#looking, sleep(longestWait, undefined, { ref: false })]);
    }
    return this.#found ? Math.max(0, (now() - this.#found.oldest) / 1000) : Number.NaN;
  }

  async #look(): Promise<void> {
    const { catalog, place, now } = this.#tools;
    try {
      const newest = new Map<string, number>();
      for (const name of (await place.list()).toReversed())
        if (timeOf(name) <= now() + mostAhead) newest.set(name.project, timeOf(name));
      let oldest = Number.POSITIVE_INFINITY;
      for await (const { id, created } of catalog.allProjects())
        oldest = Math.min(oldest, newest.get(id) ?? created);
      this.#found = { at: now(), oldest };
    } catch {
      // the next call tries again
    } finally {
      this.#looking = undefined;
    }
  }
}
