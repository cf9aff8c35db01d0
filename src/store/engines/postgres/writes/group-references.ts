import { Failure } from '../../../../failure.ts';
import { relationOf, type StoredCollection } from '../../../schema.ts';
import { checkAuthority } from '../../../sql/accounts/check-authority.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { recordTable } from '../../../sql/names.ts';
import { findMarked } from '../../../sql/records/deletion-marks.ts';
import { bindingRefusal, type CheckedReference, referencesRefusal } from '../../../sql/records/references.ts';
import { andScope } from '../../../sql/records/where.ts';
import { tables } from '../../../sql/tables.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { InsertPlan, Reference } from '../../../write-plans.ts';

/** The plans to be refused because something they refer to is missing: sql/records/references.ts for many at once. */
export async function findRefusals(
  db: Connection,
  collection: StoredCollection,
  plans: readonly InsertPlan[],
): Promise<Map<InsertPlan, Failure>> {
  const wanted = new Map<string, { readonly table: Sql; readonly scope: Sql; readonly ids: Set<string> }>();
  const want = (table: Sql, scope: Sql, ids: readonly string[]) => {
    const place = placeOf(table, scope);
    const known = wanted.get(place) ?? { table, scope, ids: new Set<string>() };
    wanted.set(place, known);
    for (const id of ids) known.ids.add(id);
  };
  /** By the key of their collection. */
  const referred = new Map<number, Set<string>>();
  for (const { references, binding } of plans) {
    for (const { field, ids, scope } of references) {
      const { to } = relationOf(collection, field);
      if (scope) want(recordTable(to), andScope(scope), ids);
      const known = referred.get(to.key) ?? new Set();
      referred.set(to.key, known);
      for (const id of ids) known.add(id);
    }
    const { owner = null, workspace = null } = binding;
    if (owner !== null) want(users, raw(''), [owner]);
    if (workspace !== null) want(workspaces, raw(''), [workspace]);
  }
  const found = new Map<string, Set<string>>();
  const losses = findLosses(db, plans);
  const locks = [...wanted].map(async ([place, { table, scope, ids }]) => {
    // In a fixed order, so that there are no deadlocks.
    const rows = await db.rows(sql`
        SELECT id FROM ${table} WHERE id IN (${db.dialect.values([...ids], 'text')})${scope}
        ORDER BY id${db.dialect.forReference}`);
    found.set(place, new Set(rows.map(([id]) => String(id))));
  });
  // Sent after the locks: whoever marks a record for deletion waits for those who are referring to it.
  const marks = [...referred].map(async ([key, ids]) => [key, await findMarked(db, key, [...ids])] as const);
  // Awaited together: if the connection is lost all of them fail, and none may be an unhandled rejection.
  const [lost, entries] = await Promise.all([losses, Promise.all(marks), ...locks]);
  const marked = new Map(entries);
  return new Map(
    plans.flatMap((plan) => {
      const loss = lost.get(JSON.stringify(plan.authority));
      if (loss) return [[plan, loss]];
      // The same order as for a single record: owner and workspace are checked only if all references exist.
      const refused =
        referencesRefusal(collection, checkAll(collection, plan, found, marked)) ??
        bindingRefusal(plan.binding, foundBinding(plan, found));
      return refused ? [[plan, refused]] : [];
    }),
  );
}

/** The failures of callers whose rights were revoked, by the JSON of their authority. */
async function findLosses(db: Connection, plans: readonly InsertPlan[]): Promise<Map<string, Failure>> {
  const held = new Map(
    plans.flatMap(({ authority }) => (authority ? [[JSON.stringify(authority), authority]] : [])),
  );
  const lost = await Promise.all(
    [...held].map(async ([text, authority]) => {
      try {
        await checkAuthority(db, authority);
        return [];
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return [[text, error] as const];
      }
    }),
  );
  return new Map(lost.flat());
}

const users = tables.users;
const workspaces = tables.workspaces;

const placeOf = (table: Sql, scope: Sql) => `${table.text} ${scope.text} ${JSON.stringify(scope.values)}`;

type Found = ReadonlyMap<string, ReadonlySet<string>>;

function checkAll(
  collection: StoredCollection,
  { references }: InsertPlan,
  found: Found,
  marked: ReadonlyMap<number, ReadonlySet<string>>,
): CheckedReference[] {
  return references.map((reference) => {
    const { to } = relationOf(collection, reference.field);
    const doomed = reference.ids.find((id) => marked.get(to.key)?.has(id));
    return { reference, missing: findMissing(to, reference, found), doomed };
  });
}

function findMissing(to: StoredCollection, { ids, scope }: Reference, found: Found): readonly string[] {
  if (!scope) return ids;
  const there = found.get(placeOf(recordTable(to), andScope(scope)));
  return ids.filter((id) => !there?.has(id));
}

function foundBinding({ binding: { owner = null, workspace = null } }: InsertPlan, found: Found) {
  const isThere = (table: Sql, id: string | null) =>
    id !== null && found.get(placeOf(table, raw('')))?.has(id) === true;
  return { owner: isThere(users, owner), workspace: isThere(workspaces, workspace) };
}
