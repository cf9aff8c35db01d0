import type { ProjectAuthority } from '../access/authority.ts';
import type { LogPosition } from '../store/changes.ts';
import type { VisibleChange } from './visible-change.ts';

export type IsGood = () => Promise<boolean>;

/** Receives changes as they come: a stream, or a request that waits. */
export interface Subscriber {
  readonly authority: ProjectAuthority | undefined;
  /** Whether its caller may still follow, where the project does not know: asked after what they get was read. */
  readonly isGood?: IsGood | undefined;
  /** Up to where it has received them. While it is in a group, the group may be further. */
  position: LogPosition;
  /** In order. false: it takes no more for now, and comes back by itself with the position it got to. */
  deliver(changes: readonly VisibleChange[]): boolean;
  /** It has to find out by itself how to go on from its position. */
  release(): void;
  /** It may not follow any more. */
  end(): void;
}

/** One that stays, and gets a heartbeat from time to time. */
export interface LastingSubscriber extends Subscriber {
  readonly project: string;
  /** When it ends, whatever happens. */
  readonly expires: number;
  /** In which second of every twenty. */
  readonly bucket: number;
  beat(position: LogPosition): void;
  /** The server stops. */
  retire(): void;
}
