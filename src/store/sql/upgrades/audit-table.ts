import { tables } from '../tables.ts';
import { raw, sql } from '../tag.ts';
import type { UpgradeStep } from '../upgrade.ts';

/** Format 6: the audit log, and who created a ticket. Tickets last a minute: those in use are requested again. */
export function addAuditTable(textType: string): UpgradeStep {
  const text = raw(textType);
  return async (db) => {
    await db.run(sql`
      CREATE TABLE ${tables.audit} (
        id ${text} PRIMARY KEY,
        at bigint NOT NULL,
        actor ${text},
        action ${text} NOT NULL,
        project ${text},
        target ${text},
        address ${text} NOT NULL,
        request ${text} NOT NULL,
        outcome ${text}
      )`);
    await db.run(sql`CREATE INDEX audit_at ON ${tables.audit} (at)`);
    for (const name of ['actor', 'action', 'project'])
      await db.run(sql`CREATE INDEX ${raw(`audit_${name}`)} ON ${tables.audit} (${raw(name)}, id)`);
    await db.run(sql`DELETE FROM ${tables.administrator_tickets}`);
    await db.run(
      sql`ALTER TABLE ${tables.administrator_tickets} ADD COLUMN actor ${text} NOT NULL DEFAULT ''`,
    );
  };
}
