import { type Failure, type Issue, invalid } from '../../../failure.ts';
import type { Binding } from '../../../model/payload.ts';
import { relationOf, type StoredCollection } from '../../schema.ts';
import type { Reference } from '../../write-plans.ts';
import type { Connection } from '../dialect.ts';
import { recordTable } from '../names.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import { beingDeleted, findMarked } from './deletion-marks.ts';
import { andScope } from './where.ts';

/** Refuses ids that do not exist or that the caller may not view: to the caller that is the same. */
export async function checkReferences(
  db: Connection,
  collection: StoredCollection,
  references: readonly Reference[],
): Promise<void> {
  const issues: Issue[] = [];
  let refused: Failure | undefined;
  for (const reference of references) {
    const { field, to } = relationOf(collection, reference.field);
    // The marks are looked for behind the locks: whoever marks a record waits for those who refer to it just now.
    const [missing, marked] = await Promise.all([
      findMissing(db, to, reference),
      findMarked(db, to.key, reference.ids),
    ]);
    const [doomed] = marked;
    if (missing !== undefined) {
      issues.push({ at: field.name, message: `there is no record '${missing}' in ${field.to}` });
    } else if (doomed !== undefined) refused ??= beingDeleted(field.name, doomed, field.to);
  }
  if (issues.length > 0) throw invalid(issues);
  if (refused) throw refused;
}

/** A record can be handed only to a user and a workspace that exist. */
export async function checkBinding(
  db: Connection,
  { owner = null, workspace = null }: Binding,
): Promise<void> {
  const issues: Issue[] = [];
  const { forReference } = db.dialect;
  if (
    owner !== null &&
    !(await db.row(sql`SELECT 1 FROM ${tables.users} WHERE id = ${owner}${forReference}`))
  ) {
    issues.push({ at: '_owner', message: `there is no user '${owner}'` });
  }
  const found =
    workspace === null ||
    (await db.row(sql`SELECT 1 FROM ${tables.workspaces} WHERE id = ${workspace}${forReference}`));
  if (!found) issues.push({ at: '_workspace', message: `there is no workspace '${workspace}'` });
  if (issues.length > 0) throw invalid(issues);
}

async function findMissing(
  db: Connection,
  to: StoredCollection,
  { ids, scope }: Reference,
): Promise<string | undefined> {
  if (!scope) return ids[0];
  const table = recordTable(to);
  const { dialect } = db;
  const [only] = ids;
  if (only !== undefined && ids.length === 1) {
    const row = await db.row(
      sql`SELECT 1 FROM ${table} WHERE id = ${only}${andScope(scope)}${dialect.forReference}`,
    );
    return row ? undefined : only;
  }
  const rows = await db.rows(sql`
    SELECT id FROM ${table}
    WHERE id IN (${dialect.values(ids, 'text')})${andScope(scope)}${dialect.forReference}`);
  const found = new Set(rows.map(([id]) => id));
  return ids.find((id) => !found.has(id));
}
