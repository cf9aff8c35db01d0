import { v7 as uuidv7 } from 'uuid';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import type { AuditEntry, AuditLog, AuditResult } from '../store/audit.ts';

export type AuditedAction = Omit<AuditEntry, 'id' | 'at' | 'outcome'>;

/** Notes who does what: an entry before the action, its outcome after. */
export interface Audit {
  /** Throws where it can't be written: then nothing is to be done either. What comes back is called with the outcome. */
  begin(action: AuditedAction): Promise<(result: AuditResult) => Promise<void>>;
}

/** Whether an error means that nothing was done. After any other error nobody knows. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Failure)) return false;
  return error.kind !== 'unavailable' || error.detail.retryAfter !== undefined;
}

/** Who acts where there is no administrator with an address: also what `?actor=` takes. */
export const actors = {
  adminKey: 'VITRINE_ADMIN_KEY',
  commandLine: 'command line',
  key: (id: string) => `key:${id}`,
};

export function createAudit(entries: AuditLog, now: () => number, log: Pick<Log, 'error'>): Audit {
  return {
    async begin(action) {
      const id = uuidv7();
      await entries.begin({ ...action, id, at: now() });
      return (result) =>
        // The action is done and answered as done: the entry stays without an outcome.
        entries.finish(id, result).catch((error: unknown) => {
          log.error(`the outcome of ${action.action} is missing in the audit`, error, action.requestId);
        });
    },
  };
}
