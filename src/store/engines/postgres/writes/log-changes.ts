import { newVersion } from '../../../new-version.ts';
import { kinds, type LoggedChange } from '../../../sql/changes/change-log.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { tables } from '../../../sql/tables.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import { arrayText } from '../tables/arrays.ts';
import { lockPosition } from './locks.ts';

/**
 * Until the transaction ends, the lock says that positions from its own number on are being assigned but not visible yet:
 * readers of the log stop before the lowest such lock (reads/watermark.ts). It is taken in an uncorrelated subquery, which
 * PostgreSQL evaluates once, before the first row, and so before the first position is drawn.
 *
 * There are three statements, so that each can be prepared: most writes log one change, which takes PostgreSQL 46 µs as
 * plain values, 82 µs as arrays in the SELECT list and 130 µs as arrays in FROM.
 */
export async function logChanges(
  db: Connection,
  schema: string,
  changes: readonly LoggedChange[],
): Promise<void> {
  const locked = raw(`(SELECT ${lockPosition(schema)}) IS NOT NULL`);
  const [first] = changes;
  const hasHandover = changes.some(({ kind }) => kind === kinds.handover);
  if (hasHandover) await db.run(logHandovers(changes, locked));
  else if (first && changes.length === 1) await db.run(logOne(first, locked));
  else await db.run(logMany(changes, locked));
}

const logOne = ({ kind, collection, id, at, owner, workspace }: LoggedChange, locked: Sql) => sql`
  INSERT INTO ${tables.changes} (mark, kind, collection, id, at, owner, workspace)
  SELECT ${newVersion()}::bigint, ${kind}::bigint, ${collection}::bigint, ${id}::text, ${at}::bigint,
    ${owner}::text, ${workspace}::text
  WHERE ${locked}`;

function logMany(changes: readonly LoggedChange[], locked: Sql): Sql {
  const column = columnsOf(changes);
  return sql`
    INSERT INTO ${tables.changes} (mark, kind, collection, id, at, owner, workspace)
    SELECT ${newVersion()}::bigint, unnest(${column('kind')}::bigint[]), unnest(${column('collection')}::bigint[]),
      unnest(${column('id')}::text[]), unnest(${column('at')}::bigint[]), unnest(${column('owner')}::text[]),
      unnest(${column('workspace')}::text[])
    WHERE ${locked}`;
}

/** Rare, and the only kind with the previous owner and workspace. */
function logHandovers(changes: readonly LoggedChange[], locked: Sql): Sql {
  const column = columnsOf(changes);
  return sql`
    INSERT INTO ${tables.changes} (mark, kind, collection, id, at, owner, workspace, old_owner, old_workspace)
    SELECT ${newVersion()}::bigint, unnest(${column('kind')}::bigint[]), unnest(${column('collection')}::bigint[]),
      unnest(${column('id')}::text[]), unnest(${column('at')}::bigint[]), unnest(${column('owner')}::text[]),
      unnest(${column('workspace')}::text[]), unnest(${column('oldOwner')}::text[]),
      unnest(${column('oldWorkspace')}::text[])
    WHERE ${locked}`;
}

const columnsOf = (changes: readonly LoggedChange[]) => (name: keyof LoggedChange) =>
  arrayText(changes.map((change) => change[name]));
