import type { ProjectAuthority } from '../access/authority.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { Failure } from '../failure.ts';
import { setGauge } from '../metrics/gauges.ts';
import { findRefused } from './deliver-together.ts';
import { Feed } from './feed.ts';
import { type ChangesPage, type PageRequest, readLastPage } from './read-page.ts';
import type { LastingSubscriber } from './subscriber.ts';

/** Seconds between two heartbeats. */
export const heartbeat = 20;
/**
 * How many streams may catch up at once. All do when a schema changes, and other requests need connections too: a node has ten
 * by default.
 */
const mostReads = 4;

interface Followed {
  readonly feed: Feed;
  readonly streams: Set<LastingSubscriber>;
}

/** All that is followed in this process. */
export class Feeds {
  readonly #catalog: Catalog;
  readonly #now: () => number;
  readonly #projects = new Map<string, Followed>();
  readonly #waiting: (() => void)[] = [];
  readonly #stop = new AbortController();
  #reads = 0;
  #second = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(catalog: Catalog, now: () => number) {
    this.#catalog = catalog;
    this.#now = now;
    const all = () => [...this.#projects.values()];
    setGauge('streams', () => all().reduce((sum, { streams }) => sum + streams.size, 0));
    setGauge('feedLag', () => Math.max(0, ...all().map(({ feed }) => feed.lag / 1000)));
  }

  /** Aborted when the server stops. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  feedOf(project: string): Feed {
    return this.#followed(project).feed;
  }

  add(stream: LastingSubscriber): void {
    this.#followed(stream.project).streams.add(stream);
  }

  remove(stream: LastingSubscriber): void {
    const followed = this.#projects.get(stream.project);
    followed?.streams.delete(stream);
    followed?.feed.leave(stream);
  }

  read(request: Omit<PageRequest, 'now'>, isLeft: () => boolean): Promise<ChangesPage | undefined> {
    return this.catchUp(() => readLastPage(this.#catalog, { ...request, now: this.#now() }), isLeft);
  }

  /**
   * A read of the log that may be one of very many in a row: a few run at once, whoever they are for. Where the client has left
   * before its turn, nothing is read, so those behind it need not wait.
   */
  async catchUp<T>(read: () => Promise<T>, isLeft: () => boolean): Promise<T | undefined> {
    if (this.#reads < mostReads) this.#reads += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return isLeft() ? undefined : await read();
    } finally {
      // The slot is handed over, as a newcomer would take it otherwise.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#reads -= 1;
    }
  }

  newest(project: string): Promise<Pick<ChangesPage, 'next' | 'cipher'>> {
    return this.#catalog.use(project, async ({ store, cipher }) => ({
      next: await store.log.newest(),
      cipher,
    }));
  }

  /** Ends all streams, and tells each client when to come back. */
  stop(): void {
    this.#stop.abort();
    for (const { streams } of this.#projects.values()) for (const stream of [...streams]) stream.retire();
    clearInterval(this.#timer);
  }

  #followed(project: string): Followed {
    if (this.#stop.signal.aborted)
      throw new Failure('unavailable', 'The server is shutting down', { retryAfter: 1 });
    const known = this.#projects.get(project);
    if (known) return known;
    const followed = {
      feed: new Feed(this.#catalog, project, this.#now),
      streams: new Set<LastingSubscriber>(),
    };
    this.#projects.set(project, followed);
    this.#timer ??= setInterval(() => this.#tick(), 1_000);
    this.#timer.unref();
    return followed;
  }

  /** Each stream gets its heartbeat in its own second. The log is read every second, in case a notification was lost. */
  #tick(): void {
    this.#second = (this.#second + 1) % heartbeat;
    const now = this.#now();
    for (const [project, { feed, streams }] of this.#projects) {
      feed.wake();
      const due: LastingSubscriber[] = [];
      for (const stream of [...streams]) {
        if (stream.expires <= now) stream.end();
        else if (stream.bucket === this.#second) due.push(stream);
      }
      if (due.length > 0) void this.#beat(project, feed, due).catch(() => {}); // in an outage nothing is sent
      if (streams.size === 0 && feed.isIdle) this.#projects.delete(project);
    }
    if (this.#projects.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #beat(project: string, feed: Feed, due: readonly LastingSubscriber[]): Promise<void> {
    const positions = due.map((stream) => feed.positionOf(stream));
    const held = due.flatMap(({ authority }) => authority ?? []);
    const revoked = await this.#revoked(project, [...new Set(held)]);
    const { refused, unknown } = await findRefused(new Set(due));
    for (const [index, stream] of due.entries()) {
      const position = positions[index];
      if ((stream.authority && revoked.has(stream.authority)) || refused.has(stream)) stream.end();
      else if (position && !unknown.has(stream)) stream.beat(position);
    }
  }

  async #revoked(
    project: string,
    authorities: readonly ProjectAuthority[],
  ): Promise<Set<ProjectAuthority | undefined>> {
    if (authorities.length === 0) return new Set();
    const found = await this.#catalog.use(project, ({ store }) =>
      store.log.findRevoked(authorities, this.#now()),
    );
    return new Set(found.map((index) => authorities[index]));
  }
}
