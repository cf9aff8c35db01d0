import type { LoggedChanges, LogPosition } from '../../changes.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import { kinds } from './change-log.ts';
import { requireStart, type Watermark } from './read-log.ts';

/** Every change as it was logged, in any scope and without the records. */
export async function readLogged(
  db: Connection,
  after: LogPosition | 'oldest',
  limit: number,
  watermark: Watermark,
): Promise<LoggedChanges> {
  const start = await requireStart(db, after);
  const rows = await db.rows(sql`
    SELECT pos, mark, kind, collection, id, at FROM ${tables.changes}
    WHERE pos > ${start.pos} AND pos <= ${watermark.pos} ORDER BY pos LIMIT ${limit}`);
  const changes = rows.map(([pos, mark, kind, collection, id, at]) => ({
    ...{
      pos: Number(pos),
      mark: Number(mark),
      collection: Number(collection),
      id: String(id),
      at: Number(at),
    },
    kind: kindOf(Number(kind)),
  }));
  const { pos, mark } = changes.at(-1) ?? start;
  return { changes, next: { pos, mark } };
}

function kindOf(kind: number): LoggedChanges['changes'][number]['kind'] {
  switch (kind) {
    case kinds.create:
      return 'create';
    case kinds.delete:
      return 'delete';
    case kinds.refetch:
      return 'refetch';
    default:
      return 'update';
  }
}
