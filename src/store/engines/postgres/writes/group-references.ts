import { type Failure, type Issue, invalid } from '../../../../failure.ts';
import type { InsertPlan, Reference } from '../../../plans.ts';
import type { Connection } from '../../../sql/connection.ts';
import { recordTable } from '../../../sql/names.ts';
import { andScope } from '../../../sql/records/where.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';

/** The plans whose records may not be made, as what they refer to is not there: as in sql/references.ts, for many at once. */
export async function findRefusals(
  db: Connection,
  plans: readonly InsertPlan[],
): Promise<Map<InsertPlan, Failure>> {
  const wanted = new Map<string, { readonly table: Sql; readonly scope: Sql; readonly ids: Set<string> }>();
  const want = (table: Sql, scope: Sql, ids: readonly string[]) => {
    const place = placeOf(table, scope);
    const known = wanted.get(place) ?? { table, scope, ids: new Set<string>() };
    wanted.set(place, known);
    for (const id of ids) known.ids.add(id);
  };
  for (const { references, binding } of plans) {
    for (const { relation, ids, scope } of references) {
      if (scope) want(recordTable(relation.to), andScope(scope), ids);
    }
    const { owner = null, workspace = null } = binding;
    if (owner !== null) want(users, raw(''), [owner]);
    if (workspace !== null) want(workspaces, raw(''), [workspace]);
  }
  const found = new Map<string, Set<string>>();
  await Promise.all(
    [...wanted].map(async ([place, { table, scope, ids }]) => {
      // In one order, so that none waits for another in a circle.
      const rows = await db.rows(sql`
        SELECT id FROM ${table} WHERE id IN (${db.dialect.values([...ids], 'text')})${scope}
        ORDER BY id${db.dialect.forReference}`);
      found.set(place, new Set(rows.map(([id]) => String(id))));
    }),
  );
  return new Map(
    plans.flatMap((plan) => {
      const issues = [...referenceIssues(plan, found), ...bindingIssues(plan, found)];
      return issues.length === 0 ? [] : [[plan, invalid(issues)]];
    }),
  );
}

const users = raw('users');
const workspaces = raw('workspaces');

const placeOf = (table: Sql, scope: Sql) => `${table.text} ${scope.text} ${JSON.stringify(scope.values)}`;

type Found = ReadonlyMap<string, ReadonlySet<string>>;

function referenceIssues({ references }: InsertPlan, found: Found): Issue[] {
  return references.flatMap((reference) => {
    const missing = findMissing(reference, found);
    if (missing === undefined) return [];
    const { field } = reference.relation;
    return [{ at: field.name, message: `there is no record '${missing}' in ${field.to}` }];
  });
}

function findMissing({ relation, ids, scope }: Reference, found: Found): string | undefined {
  if (!scope) return ids[0];
  const there = found.get(placeOf(recordTable(relation.to), andScope(scope)));
  return ids.find((id) => !there?.has(id));
}

/** Told only where all it refers to is there, as when a record comes alone. */
function bindingIssues(plan: InsertPlan, found: Found): Issue[] {
  const { owner = null, workspace = null } = plan.binding;
  if (referenceIssues(plan, found).length > 0) return [];
  const isThere = (table: Sql, id: string) => found.get(placeOf(table, raw('')))?.has(id);
  return [
    ...(owner !== null && !isThere(users, owner)
      ? [{ at: '_owner', message: `there is no user '${owner}'` }]
      : []),
    ...(workspace !== null && !isThere(workspaces, workspace)
      ? [{ at: '_workspace', message: `there is no workspace '${workspace}'` }]
      : []),
  ];
}
