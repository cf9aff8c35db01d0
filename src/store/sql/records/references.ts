import type { Awaitable } from '../../../awaitable.ts';
import { type Failure, type Issue, Issues, invalid } from '../../../failure.ts';
import type { Binding } from '../../../model/payload.ts';
import { relationOf, type StoredCollection } from '../../schema.ts';
import type { Reference } from '../../write-plans.ts';
import type { Connection } from '../dialect.ts';
import { recordTable } from '../names.ts';
import { tables } from '../tables.ts';
import { type Sql, sql } from '../tag.ts';
import type { Transaction } from '../transaction.ts';
import { beingDeleted, findMarked } from './deletion-marks.ts';
import type { FoundReferences } from './found-references.ts';
import { andScope } from './where.ts';

/** The result for a reference: the ids that do not exist for the caller, and one that is being deleted. */
export interface CheckedReference {
  readonly reference: Reference;
  readonly missing: readonly string[];
  readonly doomed: string | undefined;
}

/**
 * Why a record may not refer to what it does. An id that does not exist and one that the caller may not view are reported
 * alike.
 */
export function referencesRefusal(
  collection: StoredCollection,
  checked: readonly CheckedReference[],
): Failure | undefined {
  const issues = new Issues();
  let refused: Failure | undefined;
  for (const { reference, missing, doomed } of checked) {
    const { field } = relationOf(collection, reference.field);
    for (const id of missing) issues.note(field.name, `there is no record '${id}' in ${field.to}`);
    if (doomed !== undefined) refused ??= beingDeleted(field.name, doomed, field.to);
  }
  return issues.kept.length > 0 ? invalid(issues.kept) : refused;
}

/** Why a record may not be assigned to them: its user and its workspace must exist. */
export function bindingRefusal(
  { owner = null, workspace = null }: Binding,
  found: { readonly owner: boolean; readonly workspace: boolean },
): Failure | undefined {
  const issues: Issue[] = [];
  if (owner !== null && !found.owner) issues.push({ at: '_owner', message: `there is no user '${owner}'` });
  if (workspace !== null && !found.workspace)
    issues.push({ at: '_workspace', message: `there is no workspace '${workspace}'` });
  return issues.length > 0 ? invalid(issues) : undefined;
}

export function checkReferences(
  transaction: Pick<Transaction, 'db' | 'found'>,
  collection: StoredCollection,
  references: readonly Reference[],
): Awaitable<void> {
  const unknown = references.filter((reference) => !isFound(transaction.found, collection, reference));
  return unknown.length === 0 ? undefined : checkUnknown(transaction, collection, unknown);
}

async function checkUnknown(
  { db, found }: Pick<Transaction, 'db' | 'found'>,
  collection: StoredCollection,
  references: readonly Reference[],
): Promise<void> {
  const checked: CheckedReference[] = [];
  for (const reference of references) {
    const { to } = relationOf(collection, reference.field);
    checked.push({ reference, ...(await checkReference(db, found, to, reference)) });
  }
  const refused = referencesRefusal(collection, checked);
  if (refused) throw refused;
}

function isFound(
  found: FoundReferences,
  collection: StoredCollection,
  { field, ids, scope }: Reference,
): boolean {
  const { key } = relationOf(collection, field).to;
  return scope !== undefined && ids.length === 1 && found.has(key, scope, ids[0] ?? '');
}

async function checkReference(
  db: Connection,
  known: FoundReferences,
  to: StoredCollection,
  reference: Reference,
): Promise<Omit<CheckedReference, 'reference'>> {
  const { ids, scope } = reference;
  const [only] = ids;
  if (scope && only !== undefined && ids.length === 1 && db.dialect.forReference.text === '') {
    // If nothing has to be locked, one statement checks both, and holds for all records that follow.
    const [found, doomed] =
      (await db.row(sql`
        SELECT (SELECT 1 FROM ${recordTable(to)} WHERE id = ${only}${andScope(scope)}),
          (SELECT 1 FROM ${tables.doomed} WHERE collection = ${to.key} AND id = ${only})`)) ?? [];
    if (found && !doomed) known.add(to.key, scope, only);
    return { missing: found ? [] : [only], doomed: doomed ? only : undefined };
  }
  // The marks are read after the locks are taken: whoever marks a record waits for those who are referring to it.
  const [missing, marked] = await Promise.all([
    findMissing(db, to, reference),
    findMarked(db, to.key, reference.ids),
  ]);
  return { missing, doomed: [...marked][0] };
}

export function checkBinding(db: Connection, binding: Binding): Awaitable<void> {
  const { owner = null, workspace = null } = binding;
  if (owner !== null || workspace !== null) return requireBinding(db, owner, workspace);
}

async function requireBinding(db: Connection, owner: string | null, workspace: string | null): Promise<void> {
  const { forReference } = db.dialect;
  const exists = async (table: Sql, id: string | null) =>
    id === null || (await db.row(sql`SELECT 1 FROM ${table} WHERE id = ${id}${forReference}`)) !== undefined;
  const refused = bindingRefusal(
    { owner, workspace },
    {
      owner: await exists(tables.users, owner),
      workspace: await exists(tables.workspaces, workspace),
    },
  );
  if (refused) throw refused;
}

async function findMissing(
  db: Connection,
  to: StoredCollection,
  { ids, scope }: Reference,
): Promise<readonly string[]> {
  if (!scope) return ids;
  const table = recordTable(to);
  const { dialect } = db;
  const [only] = ids;
  if (only !== undefined && ids.length === 1) {
    const row = await db.row(
      sql`SELECT 1 FROM ${table} WHERE id = ${only}${andScope(scope)}${dialect.forReference}`,
    );
    return row ? [] : [only];
  }
  const rows = await db.rows(sql`
    SELECT id FROM ${table}
    WHERE id IN (${dialect.values(ids, 'text')})${andScope(scope)}${dialect.forReference}`);
  const found = new Set(rows.map(([id]) => id));
  return ids.filter((id) => !found.has(id));
}
