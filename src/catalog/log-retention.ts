import type { LogStore } from '../store/changes.ts';
import { type ChangesSettings, defaultChanges } from '../store/store.ts';

const day = 24 * 60 * 60_000;
/** Milliseconds until the first run, and between runs. */
const [first, between] = [30_000, 60 * 60_000];

/**
 * Removes what a project keeps no longer of its log, for as long as it is open: the log of one that is not used does not
 * grow. Several processes may do so at once. Ends by what is returned.
 */
export function retainLog(
  log: Pick<LogStore, 'forget'>,
  settings: () => Promise<ChangesSettings | undefined>,
  now: () => number,
): () => void {
  let ended = false;
  let timer = setTimeout(run, first);
  timer.unref();
  async function run(): Promise<void> {
    try {
      const { days } = (await settings()) ?? defaultChanges;
      if (!ended) await log.forget(now() - days * day);
    } catch {} // an outage, or the project is gone: the next time
    if (ended) return;
    timer = setTimeout(run, between);
    timer.unref();
  }
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
