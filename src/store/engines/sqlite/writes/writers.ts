import type { Dump } from '../../../dump.ts';
import type { LoadPlan, Progress } from '../../../plans.ts';
import type { WriteCalls, WriteKind } from './calls.ts';

/** The way to whoever writes to one project's file. */
export interface ProjectWrites {
  perform<K extends WriteKind>(
    kind: K,
    plan: WriteCalls[K]['plan'],
    progress?: Progress,
  ): Promise<WriteCalls[K]['answer']>;
  /** Only where the writer is in this very thread. */
  load(plan: LoadPlan): Promise<void>;
  close(): Promise<void>;
}

/**
 * Whoever writes to the files of projects: one for all who serve them, so that writes commit in groups and never
 * meet a locked file. In the same thread, in another, or in another process.
 */
export interface Writers {
  /** Makes the file of a project that was created `at` that time; one of an earlier project is set aside first. */
  create(path: string, at: number): Promise<void>;
  open(path: string): Promise<ProjectWrites>;
  /** Ends the file for all who have it open, and removes it, if it is still that of the project created at `of`. */
  remove(path: string, of: number): Promise<void>;
  /** Makes the file, with what was dumped in it and only once `check` has found it good. Only in this very thread. */
  restore(path: string, at: number, dump: Dump, check: (restored: Dump) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}
