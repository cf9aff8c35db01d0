import type { ProjectAuthority } from '../access/authority.ts';
import type { LogPosition } from '../store/changes.ts';
import type { Following } from './following.ts';
import type { Feeds } from './project-feeds.ts';
import type { Subscriber } from './subscriber.ts';

interface Waiting {
  readonly authority: ProjectAuthority | undefined;
  readonly position: LogPosition;
  readonly following: Following;
  /** Milliseconds. */
  readonly most: number;
  readonly signal: AbortSignal;
}

/**
 * Waits until there is something for the caller after the position, the time is up, or the server stops. Resolves to the
 * position to go on from.
 */
export function waitForChange(feeds: Feeds, project: string, waiting: Waiting): Promise<LogPosition> {
  const feed = feeds.feedOf(project);
  const { authority, position, following, most, signal } = waiting;
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      feeds.stopped.removeEventListener('abort', done);
      // A change that woke it is still to be read; otherwise nothing up to the feed's position concerns it.
      const reached = woken ? subscriber.position : feed.positionOf(subscriber);
      feed.leave(subscriber);
      resolve(reached);
    };
    let woken = false;
    const wake = () => {
      woken = true;
      done();
      return false;
    };
    const subscriber: Subscriber = { authority, position, deliver: wake, release: wake, end: wake };
    const timer = setTimeout(done, most);
    signal.addEventListener('abort', done);
    feeds.stopped.addEventListener('abort', done);
    if (!feed.join(subscriber, following)) wake();
  });
}
