import type { Authority } from '../access/authority.ts';

/** A backup that is made, or a project that is restored from one: under way, or failed. One that is done has its file. */
export interface BackupRun {
  /** Of a backup: its own id. */
  readonly id: string;
  readonly kind: 'backup' | 'restore';
  /** What it works on: one run of a project at a time. */
  readonly project: string;
  /** Which backup is restored. */
  readonly backup: string;
  readonly started: number;
  readonly status: 'running' | 'done' | 'failed';
  readonly error: string | null;
}

/** What the processes of an instance know of each other's backups, by the clock of the database. `authority`: of whoever asked for it, looked at again here. */
export interface BackupRuns {
  /** false: another one of the project is under way. */
  begin(
    run: Pick<BackupRun, 'id' | 'kind' | 'project' | 'backup'>,
    now: number,
    authority?: Authority,
  ): Promise<boolean>;
  /** To be said every few seconds: who is silent for a minute has died, and failed. false: that was said of this one. */
  beat(id: string): Promise<boolean>;
  finish(id: string, outcome: { status: 'done' | 'failed'; error: string | null }): Promise<void>;
  /** All that are remembered, the newest first. */
  list(): Promise<readonly BackupRun[]>;
  /** Those under way. Who has died is none from now on, whatever it says later. */
  running(): Promise<readonly BackupRun[]>;
  forget(id: string, authority?: Authority): Promise<boolean>;
}
