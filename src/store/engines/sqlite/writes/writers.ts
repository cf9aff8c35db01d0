import type { Dump } from '../../../dump.ts';
import type { Progress } from '../../../schema-plans.ts';
import type { LoadPlan } from '../../../write-plans.ts';
import type { WriteCalls, WriteKind } from './calls.ts';

/** The way to whoever writes to one project's file. */
export interface ProjectWrites {
  perform<K extends WriteKind>(
    kind: K,
    plan: WriteCalls[K]['plan'],
    progress?: Progress,
  ): Promise<WriteCalls[K]['answer']>;
  /** `changed` is called after each commit that the log of changes has grown by. Ends by what is returned. */
  watch(changed: () => void): () => void;
  /** Only where the writer is in this very thread. */
  load(plan: LoadPlan): Promise<void>;
  close(): Promise<void>;
}

/**
 * Whoever writes to the files of projects: one for all who serve them, so that writes commit in groups and never
 * meet a locked file. In the same thread, in another, or in another process.
 */
export interface Writers {
  /** Makes a file with nothing in it, beside the place of a project's file and under a token. */
  draft(path: string, token: string): Promise<void>;
  /** The same with what was dumped in it, once `check` has found it good. Only in this very thread. */
  restore(path: string, token: string, dump: Dump, check: (restored: Dump) => Promise<void>): Promise<void>;
  /** A draft becomes the project's file; what lies there is set aside. Nothing where that was done before. */
  place(path: string, token: string): Promise<void>;
  /**
   * The same where it replaces the file of a project: who was removed or disabled there stays so, and all who have it open
   * learn that it is no more.
   */
  replace(path: string, token: string): Promise<void>;
  discard(path: string, token: string): Promise<void>;
  /**
   * Where a project has no records, whoever writes to it waits from now on until it is removed, or `unseal`. Says how many there
   * are otherwise, and does nothing.
   */
  seal(path: string, token: string): Promise<number>;
  /** Nothing where it is not sealed under this token. */
  unseal(path: string, token: string): Promise<void>;
  /** Ends a project's file for all who have it open, and removes it. Nothing where that was done before. */
  remove(path: string, token: string): Promise<void>;
  /** Removes the drafts in a folder that nobody works on any more. */
  sweep(folder: string): Promise<void>;
  open(path: string): Promise<ProjectWrites>;
  /** When all transactions have ended that were under way, in whatever project. */
  settled(): Promise<void>;
  close(): Promise<void>;
}
