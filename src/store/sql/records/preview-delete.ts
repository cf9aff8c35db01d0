import { setImmediate as turn } from 'node:timers/promises';
import { fieldType } from '../../../model/field-types.ts';
import { checkTag } from '../../record-tag.ts';
import { StaleSchema, type StoredCollection, type StoredRelation } from '../../schema.ts';
import type { DeletePlan, DeletePreview } from '../../write-plans.ts';
import type { Connection } from '../dialect.ts';
import { column, recordTable, valueTable } from '../names.ts';
import { readSchemaVersion } from '../schema/load-schema.ts';
import { raw, type Sql, sql } from '../tag.ts';
import { andScope } from './where.ts';

/** Records of one statement; others get their turn after each. */
const chunk = 1_000;

type Ids = Map<StoredCollection, Set<string>>;

/** What `deleteRecord` would do, without locks and without reading the records themselves. */
export async function previewDelete(
  db: Connection,
  collection: StoredCollection,
  plan: DeletePlan,
): Promise<DeletePreview | undefined> {
  await verify(db, collection);
  const row = await db.row(
    sql`SELECT updated FROM ${recordTable(collection)} WHERE id = ${plan.id}${andScope(plan.scope)}`,
  );
  if (!row) return undefined;
  checkTag(collection, Number(row[0]), plan.ifMatch);
  const doomed = await spread(db, collection, plan.id);
  const [clears, restricts]: [Ids, Ids] = [new Map(), new Map()];
  for (const [to, ids] of doomed) {
    for (const relation of to.referrers) {
      if (relation.field.onDelete === 'cascade') continue;
      for await (const { id, left } of referring(db, relation, ids, doomed)) {
        if (doomed.get(relation.from)?.has(id)) continue;
        add(forbids(relation, left) ? restricts : clears, relation.from, id);
      }
    }
  }
  for (const [from, ids] of restricts) for (const id of ids) clears.get(from)?.delete(id);
  doomed.get(collection)?.delete(plan.id);
  await verify(db, collection);
  return { deletes: count(doomed), clears: count(clears), restricts: count(restricts) };
}

async function verify(db: Connection, { ref }: StoredCollection): Promise<void> {
  if ((await readSchemaVersion(db)) !== ref.version) throw new StaleSchema();
}

/** Everything that `cascade` takes along, the record itself included, round cycles too. */
async function spread(db: Connection, collection: StoredCollection, id: string): Promise<Ids> {
  const doomed: Ids = new Map();
  add(doomed, collection, id);
  const waiting = [{ to: collection, ids: new Set([id]) }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const relation of next.to.referrers) {
      if (relation.field.onDelete !== 'cascade') continue;
      const fresh = new Set<string>();
      for await (const { id: found } of referring(db, relation, next.ids, doomed)) {
        if (doomed.get(relation.from)?.has(found)) continue;
        add(doomed, relation.from, found);
        fresh.add(found);
      }
      if (fresh.size > 0) waiting.push({ to: relation.from, ids: fresh });
    }
  }
  return doomed;
}

/** The records that refer to any of the ids, and how many others each still refers to. */
async function* referring(db: Connection, relation: StoredRelation, ids: ReadonlySet<string>, doomed: Ids) {
  const all = [...ids];
  for (let start = 0; start < all.length; start += chunk) {
    const among = db.dialect.values(all.slice(start, start + chunk), 'text');
    const table = recordTable(relation.from);
    for (let last = 0; ; ) {
      const rows = await db.rows(sql`
        SELECT seq, id, ${leftSql(db, relation, doomed)} FROM ${table}
        WHERE ${refersTo(relation, among)} AND seq > ${last} ORDER BY seq LIMIT ${raw(String(chunk))}`);
      for (const [, id, left] of rows) yield { id: String(id), left: Number(left) };
      if (rows.length < chunk) break;
      last = Number(rows.at(-1)?.[0]);
      await turn();
    }
  }
}

function refersTo({ from, field }: StoredRelation, among: Sql): Sql {
  if (!fieldType(field).plural(field)) return sql`${column(from, field.name)} IN (${among})`;
  return sql`seq IN (SELECT seq FROM ${valueTable(from, field.name)} WHERE value IN (${among}))`;
}

/** Only asked for where it matters. */
function leftSql(db: Connection, { from, field, to }: StoredRelation, doomed: Ids): Sql {
  if (field.kind === 'single' || !(field.required || field.minItems)) return raw('0');
  const gone = db.dialect.values([...(doomed.get(to) ?? [])], 'text');
  const [table, values] = [recordTable(from), valueTable(from, field.name)];
  return sql`(SELECT count(*) FROM ${values} AS held WHERE held.seq = ${table}.seq AND held.value NOT IN (${gone}))`;
}

function forbids({ field }: StoredRelation, left: number): boolean {
  if (field.onDelete === 'restrict') return true;
  if (left === 0) return field.required === true;
  return field.minItems !== undefined && left < field.minItems;
}

function add(ids: Ids, collection: StoredCollection, id: string): void {
  const known = ids.get(collection) ?? new Set<string>();
  known.add(id);
  ids.set(collection, known);
}

function count(ids: Ids): Record<string, number> {
  const counted = [...ids].filter(([, { size }]) => size > 0);
  return Object.fromEntries(counted.map(([{ definition }, { size }]) => [definition.id, size]));
}
