/** How the processes of an instance coordinate, through the instance's database. */
export interface Coordination {
  /**
   * Whether `holder` has the lease now. The holder must ask again every few seconds: if it did not for `silence` milliseconds,
   * by the clock of whoever asks, the lease goes to the one who asks.
   */
  takeLease(name: string, holder: string, silence: number): Promise<boolean>;
  /** The next one who asks gets it at once. */
  leaveLease(name: string, holder: string): Promise<void>;
  /**
   * Writes work into a project, and makes sure that a job looks for it even if this process dies on the way. The note is in
   * another database than the work, so it is written first and stays for a while.
   */
  announceWork<T>(kind: string, project: string, write: () => Promise<T>): Promise<T>;
  /** The projects that may have work. */
  listWork(kind: string): Promise<readonly NotedWork[]>;
  /**
   * Called when a listed project was checked and had no work, or was gone. It is not listed again, unless more was announced
   * meanwhile, or the work that was announced may still be on its way.
   */
  endWork(noted: NotedWork): Promise<void>;
}

/** A note that work of some kind may be waiting in a project. */
export interface NotedWork {
  readonly kind: string;
  readonly project: string;
  /** Different for each announcement; null where an earlier version made it. */
  readonly mark: string | null;
  /** How many milliseconds this process had known of the announcement when it listed it. */
  readonly knownFor: number;
}

/**
 * Mails to be sent, and records of deleted users and workspaces to be deleted: this work comes along with a project that is
 * copied or restored.
 */
export const waitingWork = { mail: 'mail', departures: 'departures' } as const;
