import { setImmediate as turn } from 'node:timers/promises';
import type { ColumnValue } from '../../../model/field.ts';
import type { AuditEntry, AuditFilter, AuditLog, AuditOutcome } from '../../audit.ts';
import type { Page } from '../../paged.ts';
import type { AccountsAccess } from '../accounts/accounts-access.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { join, raw, type Sql, sql } from '../tag.ts';

const columns = 'id, at, actor, action, project, target, address, request, outcome';
const slice = 1_000;

/** `atOnce`: how many entries a list goes through before others are served. */
export function sqlAudit({ read, write }: AccountsAccess, atOnce = Number.POSITIVE_INFINITY): AuditLog {
  async function removeAll(which: Sql): Promise<void> {
    const rows = sql`SELECT id FROM ${tables.audit} WHERE ${which} LIMIT ${slice}`;
    const remove = () => write(({ db }) => db.run(sql`DELETE FROM ${tables.audit} WHERE id IN (${rows})`));
    while ((await remove()) === slice);
  }

  /** Calls `look` with the matching entries of each slice, the newest first, until it says that it has enough. */
  async function walk(
    which: AuditFilter,
    look: (db: Connection, slice: Sql) => Promise<boolean>,
  ): Promise<void> {
    const filters = filtersOf(which);
    // For each filter an index has what matches, by id: a slice is as many of these. What matches several is among others in
    // each of the indexes, so there a slice is as many of all.
    const indexed = filters.length === 1 ? filters : [];
    for (let end = which.before; ; await turn()) {
      const start = await read((db) => startOf(db, join([olderThan(end), ...indexed], ' AND '), atOnce));
      const slice = join([olderThan(end), sql`id >= ${start ?? ''}`, ...filters], ' AND ');
      const enough = await read((db) => look(db, slice));
      if (enough || start === undefined) return;
      end = start;
    }
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
    async list(which, { limit, offset }) {
      const found: AuditEntry[] = [];
      let total = 0;
      await walk(which, async (db, slice) => {
        const from = sql`FROM ${tables.audit} WHERE ${slice}`;
        const page = { limit: limit - found.length, offset: Math.max(0, offset - total) };
        if (page.limit > 0) found.push(...(await readEntries(db, from, page)));
        // Counted last: an entry that is added meanwhile is not found without being counted.
        total += Number((await db.row(sql`SELECT count(*) ${from}`))?.[0]);
        return false;
      });
      return { total, found };
    },
    async newest(which, limit) {
      const found: AuditEntry[] = [];
      await walk(which, async (db, slice) => {
        const from = sql`FROM ${tables.audit} WHERE ${slice}`;
        found.push(...(await readEntries(db, from, { limit: limit - found.length, offset: 0 })));
        return found.length >= limit;
      });
      return found;
    },
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

const olderThan = (id: string | undefined) => (id === undefined ? sql`id > ''` : sql`id < ${id}`);

/** The id that a slice of so many entries begins with; undefined if there are fewer. */
async function startOf(db: Connection, where: Sql, most: number): Promise<string | undefined> {
  if (most === Number.POSITIVE_INFINITY) return undefined;
  const row = await db.row(sql`
    SELECT id FROM ${tables.audit} WHERE ${where} ORDER BY id DESC LIMIT 1 OFFSET ${most - 1}`);
  return row && String(row[0]);
}

async function readEntries(db: Connection, from: Sql, { limit, offset }: Page): Promise<AuditEntry[]> {
  const page = sql`${from} ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`;
  return (await db.rows(sql`SELECT ${raw(columns)} ${page}`)).map(entry);
}

function filtersOf({ actor, action, project }: AuditFilter): Sql[] {
  const filters: Sql[] = [];
  if (actor !== undefined) filters.push(sql`actor = ${actor}`);
  if (action !== undefined) filters.push(sql`action = ${action}`);
  if (project !== undefined) filters.push(sql`project = ${project}`);
  return filters;
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
