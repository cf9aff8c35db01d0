import { Failure } from '../../../failure.ts';
import type { ColumnValue } from '../../../model/field.ts';
import type { BackupRun, BackupRuns } from '../../backup-runs.ts';
import type { AccountsAccess } from '../accounts/accounts-access.ts';
import { accessAs } from '../accounts/check-authority.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { type Sql, sql } from '../tag.ts';

/** Milliseconds without a heartbeat after which the process counts as dead. */
const silence = 60_000;
/** Number of finished runs that are kept. */
const mostKept = 200;

export function sqlBackupRuns(access: AccountsAccess): BackupRuns {
  const { read, write } = access;
  return {
    begin: ({ id, kind, project, backup }, now, authority) =>
      accessAs(access, authority).write(async ({ db }) => {
        await db.dialect.lockName(db, `backup ${project}`);
        await endSilent(db);
        const running = sql`SELECT 1 FROM ${tables.backup_runs} WHERE project = ${project} AND status = 'running'`;
        if (await db.row(running)) return false;
        await db.run(sql`
          INSERT INTO ${tables.backup_runs} (id, project, kind, backup, started, beat, status)
          VALUES (${id}, ${project}, ${kind}, ${backup}, ${now}, ${db.dialect.clock}, 'running')`);
        return true;
      }),
    beat: (id) => write(({ db }) => beat(db, id)),
    finish: (id, { status, error }) =>
      write(async ({ db }) => {
        await db.run(
          sql`UPDATE ${tables.backup_runs} SET status = ${status}, error = ${error} WHERE id = ${id} AND status <> 'done'`,
        );
        await db.run(sql`
          DELETE FROM ${tables.backup_runs} WHERE status <> 'running' AND id NOT IN (
            SELECT id FROM ${tables.backup_runs} WHERE status <> 'running' ORDER BY started DESC LIMIT ${mostKept})`);
      }),
    list: () => read(listRuns),
    running: () =>
      write(async ({ db }) => {
        await endSilent(db);
        return (await listRuns(db)).filter(({ status }) => status === 'running');
      }),
    forget: (id, authority) =>
      accessAs(access, authority).write(
        async ({ db }) => (await db.run(sql`DELETE FROM ${tables.backup_runs} WHERE id = ${id}`)) > 0,
      ),
  };
}

/**
 * For the transaction that puts a restored project in place: throws if the run was declared dead, so that another may have
 * begun. It can't be declared dead from here to the end of the transaction.
 */
export async function checkRun(db: Connection, run: string | undefined): Promise<void> {
  if (run === undefined || (await beat(db, run))) return;
  throw new Failure(
    'unavailable',
    'The restore stood still for so long that it was given up, and nothing was changed: ask again',
    { retryAfter: 60 },
  );
}

/**
 * For the transaction by which a restored project exists: whatever happens to the process after it, the run is done. It may
 * have been declared dead where another process completes what it began.
 */
export async function noteRestored(db: Connection, run: string | undefined): Promise<void> {
  if (run === undefined) return;
  await db.run(sql`UPDATE ${tables.backup_runs} SET status = 'done', error = NULL WHERE id = ${run}`);
}

async function beat(db: Connection, id: string): Promise<boolean> {
  const changed = await db.run(sql`
    UPDATE ${tables.backup_runs} SET beat = ${db.dialect.clock} WHERE id = ${id} AND status = 'running'`);
  return changed > 0;
}

async function listRuns(db: Connection): Promise<BackupRun[]> {
  const rows = await db.rows(sql`
    SELECT id, kind, project, backup, started, status, error, CASE WHEN ${isSilent(db)} THEN 1 ELSE 0 END
    FROM ${tables.backup_runs} ORDER BY started DESC, id DESC`);
  return rows.map(readRun);
}

function readRun(row: readonly ColumnValue[]): BackupRun {
  const [id, kind, project, backup, started, status, error, silent] = row;
  const died = status === 'running' && Number(silent) === 1;
  return {
    id: String(id),
    kind: kind as BackupRun['kind'],
    project: String(project),
    backup: String(backup),
    started: Number(started),
    status: died ? 'failed' : (status as BackupRun['status']),
    error: died ? ended : ((error ?? null) as string | null),
  };
}

const ended = 'the process that was at work ended before it was done';

/** A heartbeat in the future is none either: the clock has been set back since. */
const isSilent = (db: Connection): Sql =>
  sql`(beat < ${db.dialect.clock} - ${silence} OR beat > ${db.dialect.clock} + ${silence})`;

async function endSilent(db: Connection): Promise<void> {
  await db.run(sql`
    UPDATE ${tables.backup_runs} SET status = 'failed', error = ${ended}
    WHERE status = 'running' AND ${isSilent(db)}`);
}
