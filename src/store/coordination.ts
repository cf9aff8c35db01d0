/** How the processes of an instance coordinate, through its database. */
export interface Coordination {
  /**
   * Whether `holder` has the lease now. It must be asked for again every few seconds: a lease whose holder did not renew it
   * for `silence` milliseconds, by the clock of whoever asks, goes to that one.
   */
  takeLease(name: string, holder: string, silence: number): Promise<boolean>;
  /** The next one who asks has it at once. */
  leaveLease(name: string, holder: string): Promise<void>;
  /**
   * Writes work into a project, and makes sure that a job looks for it, also where this process dies on the way: the note is
   * in another database than the work, so it is written first and stays for a while.
   */
  announceWork<T>(kind: string, project: string, write: () => Promise<T>): Promise<T>;
  /** The projects to look into. */
  listWork(kind: string): Promise<readonly NotedWork[]>;
  /**
   * The project was looked into after it was listed, and there was no work, or no project. It is not listed any more, unless
   * more was announced meanwhile or whoever announced it may still be writing it.
   */
  endWork(noted: NotedWork): Promise<void>;
}

/** Work of a kind that may be waiting in a project. */
export interface NotedWork {
  readonly kind: string;
  readonly project: string;
  /** Another one for each announcement; null where an earlier version made it. */
  readonly mark: string | null;
  /** Milliseconds for which this process had known of the announcement when it listed it. */
  readonly knownFor: number;
}

/** Mails that wait to be sent, and records of what was deleted: they come along with a project that is copied or restored. */
export const waitingWork = { mail: 'mail', departures: 'departures' } as const;
