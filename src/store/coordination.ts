/** How the processes of an instance coordinate, through its database. */
export interface Coordination {
  /**
   * Whether `holder` has the lease now. It must be asked for again every few seconds: a lease whose holder did not renew it
   * for `silence` milliseconds, by the clock of whoever asks, goes to that one.
   */
  takeLease(name: string, holder: string, silence: number): Promise<boolean>;
  /** The next one who asks has it at once. */
  leaveLease(name: string, holder: string): Promise<void>;
  /** Whether work of a kind may be waiting in a project. Note it again after the work itself was written. */
  noteWork(kind: string, project: string): Promise<void>;
  listWork(kind: string): Promise<readonly string[]>;
  /** To be followed by a last look into the project: what came in meanwhile is noted anew. */
  endWork(kind: string, project: string): Promise<void>;
}

/** Mails that wait to be sent, and records of what was deleted: they come along with a project that is copied or restored. */
export const waitingWork = { mail: 'mail', departures: 'departures' } as const;
