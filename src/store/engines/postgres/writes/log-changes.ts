import type { ColumnValue } from '../../../../model/field.ts';
import { newVersion } from '../../../new-version.ts';
import { kinds, type LoggedChange } from '../../../sql/changes/change-log.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { tables } from '../../../sql/tables.ts';
import { raw, sql } from '../../../sql/tag.ts';
import { arrayText } from '../tables/arrays.ts';
import { lockPosition } from './locks.ts';

/**
 * The lock says, until the transaction ends, that positions from its own number on are being given out and not there
 * yet: whoever reads the log stops before the lowest of them (reads/watermark.ts). It is there before the first row is,
 * and so before the first position is drawn. One prepared statement, with the columns of
 * handovers only where there is one: with two, one of them parsed each time, a Create took an eighth more processor time
 * than without a log.
 */
export async function logChanges(
  db: Connection,
  schema: string,
  changes: readonly LoggedChange[],
): Promise<void> {
  const column = (of: (change: LoggedChange) => ColumnValue) => arrayText(changes.map(of));
  const drawn = raw(`drawn AS MATERIALIZED (SELECT ${lockPosition(schema)})`);
  const mark = newVersion();
  const kind = column((change) => change.kind);
  const collection = column((change) => change.collection);
  const id = column((change) => change.id);
  const at = column((change) => change.at);
  const owner = column((change) => change.owner);
  const workspace = column((change) => change.workspace);
  if (changes.every((change) => change.kind !== kinds.handover)) {
    await db.run(sql`
      WITH ${drawn} INSERT INTO ${tables.changes} (mark, kind, collection, id, at, owner, workspace)
      SELECT ${mark}::bigint, one.* FROM drawn, unnest(${kind}::bigint[], ${collection}::bigint[], ${id}::text[], ${at}::bigint[],
        ${owner}::text[], ${workspace}::text[]) AS one`);
    return;
  }
  const oldOwner = column((change) => change.oldOwner);
  const oldWorkspace = column((change) => change.oldWorkspace);
  await db.run(sql`
    WITH ${drawn} INSERT INTO ${tables.changes} (mark, kind, collection, id, at, owner, workspace, old_owner, old_workspace)
    SELECT ${mark}::bigint, one.* FROM drawn, unnest(${kind}::bigint[], ${collection}::bigint[], ${id}::text[], ${at}::bigint[],
      ${owner}::text[], ${workspace}::text[], ${oldOwner}::text[], ${oldWorkspace}::text[]) AS one`);
}
