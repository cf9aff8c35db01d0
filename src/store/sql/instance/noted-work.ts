import { randomUUID } from 'node:crypto';
import { type Coordination, type NotedWork, waitingWork } from '../../coordination.ts';
import type { AccountsAccess } from '../accounts/accounts-access.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/**
 * Milliseconds after an announcement within which the work is written, if ever. A request waits at most nine seconds for
 * PostgreSQL in total, and five for a lock of SQLite: only a process that is stalled takes longer, and it announces again.
 */
const grace = 60_000;
/**
 * Milliseconds within which it is written unless something is wrong. If a later look finds nothing, the next is at the end of
 * the grace period: a mail must not cost sixty looks. Whoever was slower announces again.
 */
const soon = 5_000;

/** An announcement, and when this process first saw it. */
interface SeenMark {
  readonly mark: string | null;
  readonly at: number;
  /** Whether nothing was found soon after it. */
  rests: boolean;
}

export function sqlNotedWork(
  { read, write }: AccountsAccess,
  clock: () => number,
): Pick<Coordination, 'announceWork' | 'listWork' | 'endWork'> {
  /** By kind and project: what was listed last. */
  const seen = new Map<string, Map<string, SeenMark>>();
  const announce = (kind: string, project: string) => write(({ db }) => noteWork(db, kind, project));
  return {
    async announceWork(kind, project, work) {
      const since = clock();
      await announce(kind, project);
      try {
        return await work();
      } finally {
        if (clock() - since >= soon) await announce(kind, project);
      }
    },
    async listWork(kind) {
      const rows = await read((db) =>
        db.rows(sql`SELECT project, mark FROM ${tables.work} WHERE kind = ${kind} ORDER BY project`),
      );
      const now = clock();
      const before = seen.get(kind);
      const marks = new Map<string, SeenMark>();
      const listed: NotedWork[] = [];
      for (const [id, value] of rows) {
        const [project, mark] = [String(id), value == null ? null : String(value)];
        const known = before?.get(project);
        const one = known?.mark === mark ? known : { mark, at: now, rests: false };
        marks.set(project, one);
        const knownFor = now - one.at;
        if (one.rests && knownFor < grace) continue;
        listed.push({ kind, project, mark, knownFor });
      }
      seen.set(kind, marks);
      return listed;
    },
    async endWork({ kind, project, mark, knownFor }) {
      if (knownFor < grace) {
        const known = seen.get(kind)?.get(project);
        if (known?.mark === mark) known.rests = knownFor >= soon;
        return;
      }
      await write(async ({ db }) => {
        await db.run(sql`
          DELETE FROM ${tables.work}
          WHERE kind = ${kind} AND project = ${project} AND mark IS NOT DISTINCT FROM ${mark}`);
      });
    },
  };
}

/** Work that comes along with a project is recorded in the transaction that creates it. */
export async function noteWaitingWork(db: Connection, project: string): Promise<void> {
  for (const kind of Object.values(waitingWork)) await noteWork(db, kind, project);
}

async function noteWork(db: Connection, kind: string, project: string): Promise<void> {
  await db.run(sql`
    INSERT INTO ${tables.work} (kind, project, mark) VALUES (${kind}, ${project}, ${randomUUID()})
    ON CONFLICT (kind, project) DO UPDATE SET mark = excluded.mark`);
}
