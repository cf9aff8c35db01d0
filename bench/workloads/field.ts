import type { Pace } from '../measure.ts';
import type { PeerGoals } from '../peers/peer.ts';
import type { Server } from '../server.ts';
import type { Bare } from '../servers/bare.ts';
import type { Product } from '../servers/product.ts';

/** The servers of a run. */
export interface Field {
  readonly bare: Bare;
  readonly product: Product;
  /** Where one of the workloads asks it. */
  readonly handWritten: Server | undefined;
  readonly peers: readonly { readonly server: Server; readonly goals: PeerGoals }[];
  readonly pace: Pace;
  readonly quick: boolean;
}
