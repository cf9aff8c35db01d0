import type { Server } from '../server.ts';

export interface PeerSetup {
  /** What stands behind `--peer name=`: a binary or an address. */
  readonly place: string;
  readonly records: number;
}

/** Starts a peer, or finds it at its address, and gives it the same collections and the same records. */
export interface PeerAdapter {
  /** How many times as fast the product should be. */
  readonly goal: number;
  setUp(setup: PeerSetup): Promise<Server>;
}
