import { newVersion } from '../../../new-version.ts';
import type { LoggedChange } from '../../../sql/changes/change-log.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { tables } from '../../../sql/tables.ts';
import { sql } from '../../../sql/tag.ts';

const row = sql`
  INSERT INTO ${tables.changes} (mark, kind, collection, id, at, owner, workspace, old_owner, old_workspace)
  VALUES (${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null})`;

/** There is only one writer at a time, so positions are in commit order. The newest row is never removed, so none is reused. */
export function logChanges(db: Connection, changes: readonly LoggedChange[]): void {
  const mark = newVersion();
  for (const { kind, collection, id, at, owner, workspace, oldOwner, oldWorkspace } of changes) {
    const values = [mark, kind, collection, id, at, owner, workspace, oldOwner, oldWorkspace];
    void db.run({ ...row, values });
  }
}
