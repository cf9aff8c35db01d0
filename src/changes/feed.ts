import type { Catalog } from '../catalog/catalog.ts';
import { Failure } from '../failure.ts';
import type { LogPosition, LogStore } from '../store/changes.ts';
import { alone, deliverTogether, gather } from './deliver-together.ts';
import type { Following } from './following.ts';
import { Group } from './group.ts';
import type { Subscriber } from './subscriber.ts';

/** Milliseconds after which the log is read again where it waits for a write to end. */
const soon = 25;

/**
 * Follows the log of one project for all subscribers of this process: reads each entry once, finds by its owners and
 * workspaces whom it concerns, and has the changes read for those alone.
 */
export class Feed {
  readonly #catalog: Catalog;
  readonly #project: string;
  readonly #now: () => number;
  readonly #groups = new Map<string, Group>();
  readonly #topics = new Map<string, Set<Group>>();
  readonly #groupOf = new Map<Subscriber, Group>();
  #position: LogPosition | undefined;
  #log: LogStore | undefined;
  #unwatch: (() => void) | undefined;
  #running = false;
  #woken = false;
  /** Since when there is something to read, as far as we know. */
  #behindSince: number | undefined;
  #soon: ReturnType<typeof setTimeout> | undefined;

  constructor(catalog: Catalog, project: string, now: () => number) {
    this.#catalog = catalog;
    this.#project = project;
    this.#now = now;
  }

  /** Milliseconds for which subscribers have been behind the log. */
  get lag(): number {
    return this.#behindSince === undefined ? 0 : performance.now() - this.#behindSince;
  }

  get isIdle(): boolean {
    return this.#groupOf.size === 0 && !this.#running;
  }

  /** Up to which position a subscriber knows everything that concerns it. */
  positionOf(subscriber: Subscriber): LogPosition {
    const group = this.#groupOf.get(subscriber);
    if (!group?.members.has(subscriber)) return subscriber.position; // it has left the group, to read on by itself
    return group.position.pos > subscriber.position.pos ? group.position : subscriber.position;
  }

  /** From now on the subscriber gets what is new. false: the feed is ahead of it by now, so it has to catch up first. */
  join(subscriber: Subscriber, following: Following): boolean {
    const { position } = subscriber;
    if (this.#position && position.pos < this.#position.pos) return false;
    const group = this.#groups.get(following.key) ?? this.#addGroup(following, position);
    if (position.pos < group.position.pos) return false;
    group.members.add(subscriber);
    this.#groupOf.set(subscriber, group);
    if (!this.#position) {
      this.#position = position;
      this.wake(); // finds what was logged since the subscriber read its position
    }
    return true;
  }

  leave(subscriber: Subscriber): void {
    const group = this.#groupOf.get(subscriber);
    this.#groupOf.delete(subscriber);
    group?.leave(subscriber);
    if (group?.members.size === 0) this.#removeGroup(group);
    if (this.#groupOf.size === 0) this.#rest();
  }

  /** Reads what is new. */
  wake(): void {
    this.#woken = true;
    if (this.#groupOf.size > 0) this.#behindSince ??= performance.now();
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#woken && this.#groupOf.size > 0) {
      this.#woken = false;
      try {
        await this.#advance();
      } catch (error) {
        this.#fail(error);
      }
      this.#tidy();
    }
    this.#running = false;
    if (this.#groupOf.size === 0) this.#rest();
  }

  async #advance(): Promise<void> {
    const after = this.#position;
    if (!after) return;
    const found = await this.#catalog.use(this.#project, async ({ store: { log } }) => {
      this.#watch(log);
      return log.entries(after);
    });
    for (const group of [...this.#groups.values()]) {
      if (group.following.version !== found.version) group.release();
    }
    const known = new Set(this.#groups.values());
    const concerned = gather(found, known, this.#topics);
    const those = new Set(concerned.flatMap(({ groups }) => groups));
    for (const group of known) if (!those.has(group)) group.moveTo(found.next);
    const services = { catalog: this.#catalog, project: this.#project, now: this.#now };
    for (const together of concerned) await deliverTogether(together, services, found.next);
    // Groups that were added meanwhile may be concerned too, and have not seen these entries.
    for (const group of this.#groups.values()) {
      if (!known.has(group)) await deliverTogether(alone(group), services, found.next);
    }
    this.#position = found.next;
    if (!found.upToDate) this.#woken = true;
    else if (found.pending) this.#wakeSoon();
    else if (!this.#woken) this.#behindSince = undefined;
  }

  /** Again where the project was closed and opened since: it has another log then. */
  #watch(log: LogStore): void {
    if (this.#log === log) return;
    this.#unwatch?.();
    this.#log = log;
    this.#unwatch = log.watch(() => this.wake());
  }

  #wakeSoon(): void {
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.wake(), soon);
    this.#soon.unref();
  }

  /** Each subscriber finds out the reason by itself; after an outage the next tick tries again. */
  #fail(error: unknown): void {
    if (error instanceof Failure && (error.kind === 'unavailable' || error.kind === 'tooMany')) return;
    this.#position = undefined;
    for (const group of [...this.#groups.values()]) group.release();
  }

  /** Removes subscribers that left by themselves, and empty groups. */
  #tidy(): void {
    for (const [subscriber, group] of this.#groupOf) {
      if (!group.members.has(subscriber)) this.#groupOf.delete(subscriber);
    }
    for (const group of [...this.#groups.values()]) if (group.members.size === 0) this.#removeGroup(group);
  }

  #addGroup(following: Following, position: LogPosition): Group {
    const group = new Group(following, position);
    this.#groups.set(following.key, group);
    for (const topic of group.topics.keys()) {
      const known = this.#topics.get(topic) ?? new Set();
      this.#topics.set(topic, known.add(group));
    }
    return group;
  }

  #removeGroup(group: Group): void {
    if (this.#groups.get(group.following.key) === group) this.#groups.delete(group.following.key);
    for (const topic of group.topics.keys()) {
      const known = this.#topics.get(topic);
      known?.delete(group);
      if (known?.size === 0) this.#topics.delete(topic);
    }
  }

  /** Nobody is left. The next subscriber begins at its own position. */
  #rest(): void {
    if (this.#running) return;
    clearTimeout(this.#soon);
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#log = undefined;
    this.#position = undefined;
    this.#behindSince = undefined;
  }
}
