import { v7 as uuidv7 } from 'uuid';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import type { AuditEntry, AuditLog, AuditResult } from '../store/audit.ts';

export type AuditedAction = Omit<AuditEntry, 'id' | 'at' | 'outcome'>;

/** Records who does what: an entry before the action, its outcome after. */
export interface Audit {
  /** Throws if the entry can't be written; the action must not be done then. Call the returned function with the outcome. */
  begin(action: AuditedAction): Promise<(result: AuditResult) => Promise<void>>;
}

/** Whether an error means that nothing was done. After any other error this is unknown. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Failure)) return false;
  return error.kind !== 'unavailable' || error.detail.retryAfter !== undefined;
}

/** Names of actors other than administrators with an address, also as values of `?actor=`. */
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
        // The action is done, and its response says so: the entry stays without an outcome.
        entries.finish(id, result).catch((error: unknown) => {
          log.error(`the outcome of ${action.action} is missing in the audit`, error, action.requestId);
        });
    },
  };
}
