import { type Issue, invalid } from '../../../failure.ts';
import type { Binding } from '../../../model/payload.ts';
import type { Reference } from '../../plans.ts';
import { recordTable } from '../../sql/names.ts';
import { sql } from '../../sql/tag.ts';
import { andScope } from '../../sql/where.ts';
import type { Database } from './database.ts';
import { sqliteDialect } from './dialect.ts';

/** Refuses ids that do not exist or that the caller may not view: to the caller that is the same. */
export function checkReferences(db: Database, references: readonly Reference[]): void {
  const issues = references.flatMap((reference) => {
    const missing = findMissing(db, reference);
    const { field } = reference.relation;
    return missing === undefined
      ? []
      : [{ at: field.name, message: `there is no record '${missing}' in ${field.to}` }];
  });
  if (issues.length > 0) throw invalid(issues);
}

/** A record can be handed only to a user and a workspace that exist. */
export function checkBinding(db: Database, { owner = null, workspace = null }: Binding): void {
  const issues: Issue[] = [];
  if (owner !== null && !db.row(sql`SELECT 1 FROM users WHERE id = ${owner}`)) {
    issues.push({ at: '_owner', message: `there is no user '${owner}'` });
  }
  if (workspace !== null && !db.row(sql`SELECT 1 FROM workspaces WHERE id = ${workspace}`)) {
    issues.push({ at: '_workspace', message: `there is no workspace '${workspace}'` });
  }
  if (issues.length > 0) throw invalid(issues);
}

function findMissing(db: Database, { relation, ids, scope }: Reference): string | undefined {
  if (!scope) return ids[0];
  const table = recordTable(relation.to);
  const [only] = ids;
  if (only !== undefined && ids.length === 1) {
    return db.row(sql`SELECT 1 FROM ${table} WHERE id = ${only}${andScope(scope)}`) ? undefined : only;
  }
  const row = db.row(sql`
    SELECT value FROM (${sqliteDialect.values(ids)}) AS sent
    WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE id = sent.value${andScope(scope)})
    LIMIT 1`);
  return row?.[0]?.toString();
}
