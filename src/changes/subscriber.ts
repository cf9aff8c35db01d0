import type { ProjectAuthority } from '../access/authority.ts';
import type { LogPosition } from '../store/changes.ts';
import type { VisibleChange } from './visible-change.ts';

export type IsGood = () => Promise<boolean>;

/** Receives changes as they come: a stream, or a request that waits. */
export interface Subscriber {
  readonly authority: ProjectAuthority | undefined;
  /** Asks whether the caller may still follow, where the project does not know; called after the changes were read. */
  readonly isGood?: IsGood | undefined;
  /** Up to where it has received changes. While it is in a group, the group may be ahead. */
  position: LogPosition;
  /** Takes changes in order. false: it takes no more for now, and joins again by itself from its position. */
  deliver(changes: readonly VisibleChange[]): boolean;
  /** It has to find out by itself how to go on from its position. */
  release(): void;
  /** It may not follow any more. */
  end(): void;
}

/** A subscriber that stays connected and gets heartbeats. */
export interface LastingSubscriber extends Subscriber {
  readonly project: string;
  /** When it ends, whatever happens. */
  readonly expires: number;
  /** The second, of every twenty, in which it gets its heartbeat. */
  readonly bucket: number;
  beat(position: LogPosition): void;
  /** The server stops. */
  retire(): void;
}
