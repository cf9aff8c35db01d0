import { setTimeout as sleep } from 'node:timers/promises';
import type { ProjectAuthority } from '../access/authority.ts';
import type { CursorCipher } from '../access/cursor-cipher.ts';
import { Failure, type FailureKind } from '../failure.ts';
import type { ChangesPlan, LogPosition } from '../store/changes.ts';
import type { Wanted } from './following.ts';
import { closePosition, tagOf } from './position.ts';
import { type Feeds, heartbeat } from './project-feeds.ts';
import type { IsGood, LastingSubscriber } from './subscriber.ts';
import { changeEvent, type VisibleChange } from './visible-change.ts';

/** Where the events of a stream go. */
export interface Sink {
  /** Whether it takes more. A client that does not read is waited for. */
  readonly ready: boolean;
  write(text: string): void;
  close(): void;
}

export interface StreamOptions {
  readonly feeds: Feeds;
  readonly project: string;
  readonly cipher: CursorCipher;
  readonly wanted: Wanted;
  readonly authority: ProjectAuthority | undefined;
  readonly after: ChangesPlan['after'];
  /** When it ends, whatever happens. */
  readonly expires: number;
  readonly isGood: IsGood | undefined;
  readonly sink: Sink;
  /** Called when the stream ends because of an unexpected error. */
  readonly failed: (error: unknown) => void;
}

/** The most changes that are read at once. */
const pageSize = 100;
/** Milliseconds between attempts in an outage, and before it is checked again whether the stream can join the others. */
const [again, soon] = [1_000, 10];
/** Milliseconds after which clients reconnect when a server stops, spread so that they do not all come at once. */
const [soonest, latest] = [500, 3_000];

/** What a client is told when the server stops. */
export const comeBack = () => `retry: ${Math.round(soonest + Math.random() * (latest - soonest))}\n\n`;

/** Tells a client its position, so that it resumes there when it reconnects. */
export const idLine = (cipher: CursorCipher, position: LogPosition, tag: string) =>
  `id: ${closePosition(cipher, position)}.${tag}`;

let opened = 0;

/**
 * One client that follows. It reads the log by itself until it has caught up, and then gets new changes together with the
 * others. When the client takes no more, the stream stops, and later reads on by itself from where it was.
 */
export class Stream implements LastingSubscriber {
  readonly project: string;
  readonly #wanted: Wanted;
  readonly authority: ProjectAuthority | undefined;
  readonly expires: number;
  readonly isGood: IsGood | undefined;
  readonly bucket = opened++ % heartbeat;
  position: LogPosition = { pos: 0, mark: 0 };
  readonly #feeds: Feeds;
  #cipher: CursorCipher;
  readonly #tag: string;
  readonly #sink: Sink;
  readonly #failed: (error: unknown) => void;
  #after: ChangesPlan['after'];
  /** The position that the client knows. */
  #sent = 0;
  /** How many changes are read at once: hardly more than the client takes, as the rest would have to be read again. */
  #limit = pageSize;
  #reading = false;
  /** It has caught up, and gets changes from the feed. */
  #live = false;
  #over = false;

  constructor(options: StreamOptions) {
    this.project = options.project;
    this.#wanted = options.wanted;
    this.authority = options.authority;
    this.expires = options.expires;
    this.isGood = options.isGood;
    this.#feeds = options.feeds;
    this.#cipher = options.cipher;
    this.#tag = tagOf(options.wanted.caller);
    this.#sink = options.sink;
    this.#failed = options.failed;
    this.#after = options.after;
    this.#feeds.add(this);
  }

  /** To be called whenever the sink may have become ready. */
  go(): void {
    if (this.#reading || this.#live || this.#over || !this.#sink.ready) return;
    this.#reading = true;
    void this.#catchUp().finally(() => {
      this.#reading = false;
      this.go(); // it may have become ready meanwhile
    });
  }

  release(): void {
    this.#live = false;
    this.#after = this.position;
    this.go();
  }

  deliver(changes: readonly VisibleChange[]): boolean {
    for (const change of changes) {
      if (this.#over) return false;
      if (!this.#sink.ready) {
        this.#live = false;
        this.#after = this.position;
        return false;
      }
      this.#sink.write(changeEvent(change, this.#tag));
      this.position = change.position;
      this.#sent = change.position.pos;
    }
    return true;
  }

  /** A heartbeat, with the position where the client does not know it yet. */
  beat(position: LogPosition): void {
    if (this.#over || !this.#sink.ready) return;
    this.#sink.write(`: \n${this.#moved(position) ? `${this.#id(position)}\n` : ''}\n`);
  }

  end(): void {
    this.#finish(`event: end\ndata: {}\n\n`);
  }

  /** The server stops. */
  retire(): void {
    this.#finish(comeBack());
  }

  /** The client is gone. */
  cancel(): void {
    this.#over = true;
    this.#feeds.remove(this);
  }

  async #catchUp(): Promise<void> {
    while (!this.#over && this.#sink.ready) {
      try {
        if (await this.#readOn()) return;
      } catch (error) {
        if (!isExpected(error, 'gone', 'unavailable')) return this.#endBy(error);
        if (error.kind === 'gone') await this.#reset();
        else await sleep(again);
      }
    }
  }

  /** Says whether it has caught up. */
  async #readOn(): Promise<boolean> {
    const { project, authority } = this;
    const after = this.#after;
    const page = await this.#feeds.read(
      { project, wanted: this.#wanted, authority, after, limit: this.#limit },
      () => this.#over,
    );
    if (!page) return true;
    const isGood = !this.isGood || (await this.isGood());
    if (this.#over) return true;
    if (page.revoked || !isGood) {
      this.end();
      return true;
    }
    const delivered = this.deliver(page.changes);
    const taken = page.changes.filter(({ position }) => position.pos <= this.position.pos).length;
    this.#limit = Math.min(pageSize, 2 * (delivered ? this.#limit : Math.max(1, taken)));
    if (!delivered) return false;
    this.position = page.next;
    this.#after = page.next;
    this.#cipher = page.cipher;
    if (page.over) {
      this.end();
      return true;
    }
    if (this.#sent === 0) this.beat(page.next); // so that a client that is cut off right away knows its position
    this.#live = page.upToDate && this.#feeds.feedOf(this.project).join(this, page.following);
    if (page.upToDate && !this.#live) await sleep(soon);
    return this.#live;
  }

  /** The position it wants to resume from is no longer kept. */
  async #reset(): Promise<void> {
    try {
      const { next, cipher } = await this.#feeds.newest(this.project);
      if (this.#over) return;
      this.#cipher = cipher;
      this.#sink.write(`${this.#id(next)}\nevent: reset\ndata: {}\n\n`);
      this.position = next;
      this.#after = next;
    } catch (error) {
      if (!isExpected(error, 'unavailable')) return this.#endBy(error);
      await sleep(again);
    }
  }

  #moved({ pos }: LogPosition): boolean {
    const moved = pos > this.#sent;
    this.#sent = Math.max(pos, this.#sent);
    return moved;
  }

  #id(position: LogPosition): string {
    this.#sent = position.pos;
    return idLine(this.#cipher, position, this.#tag);
  }

  /** The client finds out about a refusal when it reconnects; anything else is a bug. */
  #endBy(error: unknown): void {
    if (!this.#over && !(error instanceof Failure)) this.#failed(error);
    this.end();
  }

  #finish(last: string): void {
    if (this.#over) return;
    this.cancel();
    this.#sink.write(last);
    this.#sink.close();
  }
}

const isExpected = (error: unknown, ...kinds: readonly FailureKind[]): error is Failure =>
  error instanceof Failure && kinds.includes(error.kind);
