import type { Authority } from '../access/authority.ts';

/** A run that makes a backup, or restores a project from one: under way, or failed. A backup that is done has its file. */
export interface BackupRun {
  /** For a backup: its own id. */
  readonly id: string;
  readonly kind: 'backup' | 'restore';
  /** A project has one run at a time. */
  readonly project: string;
  /** The backup that is restored. */
  readonly backup: string;
  readonly started: number;
  readonly status: 'running' | 'done' | 'failed';
  readonly error: string | null;
}

/**
 * What the processes of an instance know of each other's backups, by the clock of the database. `authority`: that of whoever
 * asked for the run, which is checked again here.
 */
export interface BackupRuns {
  /** false: the project has another run under way. */
  begin(
    run: Pick<BackupRun, 'id' | 'kind' | 'project' | 'backup'>,
    now: number,
    authority?: Authority,
  ): Promise<boolean>;
  /**
   * To be called every few seconds: after a minute of silence a run counts as dead, and as failed. false: this one does
   * already.
   */
  beat(id: string): Promise<boolean>;
  /** A restore is done by the transaction that puts the project in place, and stays so. */
  finish(id: string, outcome: { status: 'done' | 'failed'; error: string | null }): Promise<void>;
  /** All known runs, the newest first. */
  list(): Promise<readonly BackupRun[]>;
  /** The runs under way. One that has died is marked as failed, whatever it reports later. */
  running(): Promise<readonly BackupRun[]>;
  forget(id: string, authority?: Authority): Promise<boolean>;
}
