import { newVersion } from '../../../new-version.ts';
import type { LoggedChange } from '../../../sql/changes/change-log.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { tables } from '../../../sql/tables.ts';
import { join, sql } from '../../../sql/tag.ts';
import { arrayOf } from '../tables/arrays.ts';
import { lockPosition } from './locks.ts';

/**
 * The lock says, until the transaction ends, that positions from its own number on are being given out and not there
 * yet: whoever reads the log stops before the lowest of them (reads/watermark.ts). Both statements travel together.
 */
export async function logChanges(
  db: Connection,
  schema: string,
  changes: readonly LoggedChange[],
): Promise<void> {
  const mark = newVersion();
  const column = (kind: 'integer' | 'text', of: (change: LoggedChange) => string | number | null) =>
    arrayOf(changes.map(of), kind);
  const columns = [
    column('integer', () => mark),
    column('integer', ({ kind }) => kind),
    column('integer', ({ collection }) => collection),
    column('text', ({ id }) => id),
    column('integer', ({ at }) => at),
    column('text', ({ owner }) => owner),
    column('text', ({ workspace }) => workspace),
    column('text', ({ oldOwner }) => oldOwner),
    column('text', ({ oldWorkspace }) => oldWorkspace),
  ];
  await Promise.all([
    db.exec(lockPosition(schema)),
    db.run(sql`
      INSERT INTO ${tables.changes} (mark, kind, collection, id, at, owner, workspace, old_owner, old_workspace)
      SELECT * FROM unnest(${join(columns, ', ')})`),
  ]);
}
