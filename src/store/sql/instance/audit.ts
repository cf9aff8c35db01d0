import type { ColumnValue } from '../../../model/field.ts';
import type { AuditEntry, AuditFilter, AuditLog, AuditOutcome } from '../../audit.ts';
import type { AccountsAccess } from '../accounts/accounts-access.ts';
import { paged } from '../accounts/paged.ts';
import { tables } from '../tables.ts';
import { raw, type Sql, sql } from '../tag.ts';

const columns = 'id, at, actor, action, project, target, address, request, outcome';
const slice = 1_000;

export function sqlAudit({ read, write }: AccountsAccess): AuditLog {
  async function removeAll(which: Sql): Promise<void> {
    const rows = sql`SELECT id FROM ${tables.audit} WHERE ${which} LIMIT ${slice}`;
    const remove = () => write(({ db }) => db.run(sql`DELETE FROM ${tables.audit} WHERE id IN (${rows})`));
    while ((await remove()) === slice);
  }

  return {
    begin: ({ id, at, actor, action, project, target, address, requestId }) =>
      write(async ({ db }) => {
        await db.run(sql`
          INSERT INTO ${tables.audit} (id, at, actor, action, project, target, address, request)
          VALUES (${id}, ${at}, ${actor}, ${action}, ${project}, ${target}, ${address}, ${requestId})`);
      }),
    finish: (id, { outcome, actor = null, action = null, project = null, target = null }) =>
      write(async ({ db }) => {
        await db.run(sql`
          UPDATE ${tables.audit} SET outcome = ${outcome}, actor = coalesce(actor, ${actor}),
            action = coalesce(${action}, action), project = coalesce(project, ${project}), target = coalesce(${target}, target)
          WHERE id = ${id}`);
      }),
    list: (which, page) =>
      read((db) =>
        paged(db, columns, sql`${tables.audit} WHERE ${matches(which)}`, page, ['id DESC'], entry),
      ),
    newest: (which, limit) =>
      read(async (db) => {
        const rows = await db.rows(sql`
          SELECT ${raw(columns)} FROM ${tables.audit} WHERE ${matches(which)} ORDER BY id DESC LIMIT ${limit}`);
        return rows.map(entry);
      }),
    async prune(older, mostNameless) {
      await removeAll(sql`at < ${older}`);
      const [first] =
        (await read((db) =>
          db.row(sql`
            SELECT id FROM ${tables.audit} WHERE actor IS NULL ORDER BY id DESC LIMIT 1 OFFSET ${mostNameless}`),
        )) ?? [];
      if (first !== undefined) await removeAll(sql`actor IS NULL AND id <= ${String(first)}`);
    },
  };
}

function matches({ actor, action, project, before }: AuditFilter): Sql {
  let where = before === undefined ? sql`id > ''` : sql`id < ${before}`;
  if (actor !== undefined) where = sql`${where} AND actor = ${actor}`;
  if (action !== undefined) where = sql`${where} AND action = ${action}`;
  if (project !== undefined) where = sql`${where} AND project = ${project}`;
  return where;
}

function entry(row: readonly ColumnValue[]): AuditEntry {
  const [id, at, actor, action, project, target, address, requestId, outcome] = row;
  const text = (value: ColumnValue | undefined) => (value === null ? null : String(value));
  return {
    id: String(id),
    at: Number(at),
    actor: text(actor),
    action: String(action),
    project: text(project),
    target: text(target),
    address: String(address),
    requestId: String(requestId),
    outcome: outcome === null ? null : (String(outcome) as AuditOutcome),
  };
}
