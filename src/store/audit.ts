import type { Page, Paged } from './paged.ts';

/** refused: nothing was done. What has no outcome is unknown: the process ended meanwhile, or nobody can tell. */
export type AuditOutcome = 'done' | 'refused';

export interface AuditEntry {
  /** A UUIDv7: later entries have larger ones. */
  readonly id: string;
  readonly at: number;
  /** null: somebody tried to sign in with an address that is no administrator's. */
  readonly actor: string | null;
  readonly action: string;
  readonly project: string | null;
  /** What it was done to: an id, or several with slashes. */
  readonly target: string | null;
  readonly address: string;
  readonly requestId: string;
  readonly outcome: AuditOutcome | null;
}

/** What is known once the action is done, where it was not before. */
export interface AuditResult extends Partial<Pick<AuditEntry, 'actor' | 'action' | 'project' | 'target'>> {
  readonly outcome: AuditOutcome;
}

export interface AuditFilter extends Partial<Pick<AuditEntry, 'actor' | 'action' | 'project'>> {
  /** Only entries older than the one with this id. */
  readonly before?: string;
}

/** Who did what to an instance, in its own database. */
export interface AuditLog {
  begin(entry: Omit<AuditEntry, 'outcome'>): Promise<void>;
  finish(id: string, result: AuditResult): Promise<void>;
  /** The newest first. */
  list(which: AuditFilter, page: Page): Promise<Paged<AuditEntry>>;
  /** The same without their number. */
  newest(which: AuditFilter, limit: number): Promise<readonly AuditEntry[]>;
  /** Removes what is older, and of what strangers caused all but the newest. In slices, so that nobody waits for long. */
  prune(older: number, mostNameless: number): Promise<void>;
}
