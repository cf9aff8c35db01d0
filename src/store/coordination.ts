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
   * Writes work into a project, and sees to it that somebody looks for it afterwards, also where this process ends on the
   * way: the work is in another database than the note of it, so the note comes first and stays for a while.
   */
  announceWork<T>(kind: string, project: string, write: () => Promise<T>): Promise<T>;
  /** The projects to look into. */
  listWork(kind: string): Promise<readonly NotedWork[]>;
  /**
   * A look into the project, after it was listed, found nothing, or no project. It is not listed any more then, once
   * whoever announced it has had the time to write it, and unless more was announced meanwhile.
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
