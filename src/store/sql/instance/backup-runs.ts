import type { BackupRun, BackupRuns } from '../../backup-runs.ts';
import type { AccountsAccess } from '../accounts/accounts-access.ts';
import { accessAs } from '../accounts/check-authority.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** Milliseconds without a word after which the process that was at work has died. */
const silence = 60_000;
/** Of those that are over. */
const mostKept = 200;

export function sqlBackupRuns(access: AccountsAccess): BackupRuns {
  const { read, write } = access;
  return {
    begin: ({ id, kind, project, backup }, now, authority) =>
      accessAs(access, authority).write(async ({ db }) => {
        await db.dialect.lockName(db, `backup ${project}`);
        await endSilent(db, now);
        const running = sql`SELECT 1 FROM ${tables.backup_runs} WHERE project = ${project} AND status = 'running'`;
        if (await db.row(running)) return false;
        await db.run(sql`
          INSERT INTO ${tables.backup_runs} (id, project, kind, backup, started, beat, status)
          VALUES (${id}, ${project}, ${kind}, ${backup}, ${now}, ${now}, 'running')`);
        return true;
      }),
    beat: (id, now) =>
      write(async ({ db }) => {
        await db.run(sql`UPDATE ${tables.backup_runs} SET beat = ${now} WHERE id = ${id}`);
      }),
    finish: (id, { status, error }) =>
      write(async ({ db }) => {
        await db.run(
          sql`UPDATE ${tables.backup_runs} SET status = ${status}, error = ${error} WHERE id = ${id}`,
        );
        await db.run(sql`
          DELETE FROM ${tables.backup_runs} WHERE status <> 'running' AND id NOT IN (
            SELECT id FROM ${tables.backup_runs} WHERE status <> 'running' ORDER BY started DESC LIMIT ${mostKept})`);
      }),
    list: (now) =>
      read(async (db) => {
        const rows = await db.rows(sql`
          SELECT id, kind, project, backup, started, beat, status, error FROM ${tables.backup_runs}
          ORDER BY started DESC, id DESC`);
        return rows.map(([id, kind, project, backup, started, beat, status, error]): BackupRun => {
          const died = status === 'running' && Number(beat) < now - silence;
          return {
            id: String(id),
            kind: kind as BackupRun['kind'],
            project: String(project),
            backup: String(backup),
            started: Number(started),
            status: died ? 'failed' : (status as BackupRun['status']),
            error: died ? ended : ((error ?? null) as string | null),
          };
        });
      }),
    forget: (id, authority) =>
      accessAs(access, authority).write(
        async ({ db }) => (await db.run(sql`DELETE FROM ${tables.backup_runs} WHERE id = ${id}`)) > 0,
      ),
  };
}

const ended = 'the process that was at work ended before it was done';

async function endSilent(db: Connection, now: number): Promise<void> {
  await db.run(sql`
    UPDATE ${tables.backup_runs} SET status = 'failed', error = ${ended}
    WHERE status = 'running' AND beat < ${now - silence}`);
}
