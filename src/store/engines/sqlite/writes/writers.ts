import type { Dump } from '../../../dump.ts';
import type { Progress } from '../../../schema-plans.ts';
import type { LoadPlan } from '../../../write-plans.ts';
import type { WriteCalls, WriteKind } from './calls.ts';

/** Access to whoever writes to one project's file. */
export interface ProjectWrites {
  perform<K extends WriteKind>(
    kind: K,
    plan: WriteCalls[K]['plan'],
    progress?: Progress,
  ): Promise<WriteCalls[K]['answer']>;
  /** Calls `changed` after each commit that adds to the log of changes. Returns a function that ends this. */
  watch(changed: () => void): () => void;
  /** Only where the writer is in the same thread. */
  load(plan: LoadPlan): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes to the files of all projects, for everybody who serves them, so that writes commit in groups and never meet a locked
 * file. It may be in the same thread, another thread, or another process.
 */
export interface Writers {
  /** Makes an empty file beside the place of a project's file, named by a token. */
  draft(path: string, token: string): Promise<void>;
  /** The same with the contents of a dump, once `check` has accepted it. Only in the same thread. */
  restore(path: string, token: string, dump: Dump, check: (restored: Dump) => Promise<void>): Promise<void>;
  /** Makes a draft the project's file, and sets aside what was there. Does nothing where that was done before. */
  place(path: string, token: string): Promise<void>;
  /**
   * The same in place of an existing project: users who were removed or disabled there stay so, and everybody who has the old
   * file open learns that it is gone.
   */
  replace(path: string, token: string): Promise<void>;
  discard(path: string, token: string): Promise<void>;
  /**
   * If a project has no records, makes all writes to it wait until it is removed, or `unseal`. Otherwise returns how many
   * records there are, and does nothing.
   */
  seal(path: string, token: string): Promise<number>;
  /** Does nothing where the file is not sealed with this token. */
  unseal(path: string, token: string): Promise<void>;
  /** Ends a project's file for everybody who has it open, and removes it. Does nothing where that was done before. */
  remove(path: string, token: string): Promise<void>;
  /** Removes abandoned drafts in a folder. */
  sweep(folder: string): Promise<void>;
  open(path: string): Promise<ProjectWrites>;
  /** Resolves when all transactions that are under way now, in any project, have ended. */
  settled(): Promise<void>;
  close(): Promise<void>;
}
