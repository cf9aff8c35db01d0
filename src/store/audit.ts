import type { Page, Paged } from './paged.ts';

/** refused: nothing was done. Without an outcome it is unknown what happened: the process died, or can't tell. */
export type AuditOutcome = 'done' | 'refused';

export interface AuditEntry {
  /** A UUIDv7, so later entries have larger ids. */
  readonly id: string;
  readonly at: number;
  /** null: somebody tried to sign in with an address that is no administrator's. */
  readonly actor: string | null;
  readonly action: string;
  readonly project: string | null;
  /** What the action was applied to: an id, or several separated by slashes. */
  readonly target: string | null;
  readonly address: string;
  readonly requestId: string;
  readonly outcome: AuditOutcome | null;
}

/** What is known only after the action. */
export interface AuditResult extends Partial<Pick<AuditEntry, 'actor' | 'action' | 'project' | 'target'>> {
  readonly outcome: AuditOutcome;
}

export interface AuditFilter extends Partial<Pick<AuditEntry, 'actor' | 'action' | 'project'>> {
  /** Only entries older than the one with this id. */
  readonly before?: string;
}

/** The audit log of an instance, kept in the instance's own database. */
export interface AuditLog {
  begin(entry: Omit<AuditEntry, 'outcome'>): Promise<void>;
  finish(id: string, result: AuditResult): Promise<void>;
  /** Newest first. */
  list(which: AuditFilter, page: Page): Promise<Paged<AuditEntry>>;
  /** The same without the total. */
  newest(which: AuditFilter, limit: number): Promise<readonly AuditEntry[]>;
  /**
   * Deletes entries older than `older`, and all but the newest of those without an actor. Works in slices to keep others from
   * waiting.
   */
  prune(older: number, mostNameless: number): Promise<void>;
}
