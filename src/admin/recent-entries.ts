import type { AuditEntry, AuditFilter, AuditLog } from '../store/audit.ts';

const entriesAtOnce = 500;

/** The audit entries since a time, newest first. */
export async function recentEntries(
  audit: AuditLog,
  which: Pick<AuditFilter, 'actor' | 'action'>,
  since: number,
): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  let page = await audit.newest(which, entriesAtOnce);
  for (;;) {
    const recent = page.filter(({ at }) => at > since);
    found.push(...recent);
    const last = recent.at(-1);
    if (!last || recent.length < entriesAtOnce) return found;
    page = await audit.newest({ ...which, before: last.id }, entriesAtOnce);
  }
}
