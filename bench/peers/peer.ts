import { type Server, type WorkName, workNames } from '../server.ts';

export interface PeerSetup {
  /** What stands behind `--peer name=`: a binary or an address. */
  readonly place: string;
  readonly records: number;
}

export type PeerGoals = Readonly<Partial<Record<WorkName | 'filling', number>>>;

/** The same on every line. */
export const everywhere = (times: number): PeerGoals =>
  Object.fromEntries([...workNames, 'filling'].map((name) => [name, times]));

/** Starts a peer, or finds it at its address, and gives it the same collections and the same records. */
export interface PeerAdapter {
  /** How many times as fast the product should be; once where nothing is said. */
  readonly goals: PeerGoals;
  setUp(setup: PeerSetup): Promise<Server>;
}
