import type { Authority } from '../access/authority.ts';
import type { LogPosition } from '../store/changes.ts';
import type { Wanted } from './following.ts';
import type { ToldChange } from './told-change.ts';

/** Whoever is told of changes as they come: a stream, or a request that waits. */
export interface Subscriber {
  readonly wanted: Wanted;
  readonly authority: Authority | undefined;
  /** Up to where it has been told. While it is in a group, the group may be further. */
  position: LogPosition;
  /** In order. false: it takes no more for now, and comes back by itself with the position it got to. */
  deliver(changes: readonly ToldChange[]): boolean;
  /** It has to find out by itself how to go on from its position. */
  release(): void;
  /** It may not be told any more. */
  end(): void;
}

/** One that stays, and is told from time to time that the server is there. */
export interface LastingSubscriber extends Subscriber {
  readonly project: string;
  /** When it ends, whatever happens. */
  readonly expires: number;
  /** In which second of every twenty. */
  readonly bucket: number;
  /** Whether whoever began it may still be told, as far as the project does not know. */
  isGood(): Promise<boolean>;
  beat(position: LogPosition): void;
  /** The server stops. */
  retire(): void;
}
