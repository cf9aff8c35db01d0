import { fieldType } from '../../../model/field-types.ts';
import { checkTag } from '../../record-tag.ts';
import { StaleSchema, type StoredCollection, type StoredRelation } from '../../schema.ts';
import type { DeletePlan, DeletePreview } from '../../write-plans.ts';
import type { Connection } from '../dialect.ts';
import { recordTable } from '../names.ts';
import { readSchemaVersion } from '../schema/load-schema.ts';
import { sql } from '../tag.ts';
import { leftIn, Referrers } from './referrers.ts';
import { andScope } from './where.ts';

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
  const referrers = new Referrers(db);
  const doomed = await spread(referrers, collection, plan.id);
  const [clears, restricts]: [Ids, Ids] = [new Map(), new Map()];
  for (const [to, ids] of doomed) {
    for (const relation of to.referrers) {
      if (relation.field.onDelete === 'cascade') continue;
      const from = doomed.get(relation.from);
      for await (const found of referrers.of(relation, ids)) {
        const stay = found.filter(({ id }) => !from?.has(id));
        const left = countsLeft(relation) ? await leftIn(db, relation, stay, ids) : undefined;
        for (const { seq, id } of stay)
          add(forbids(relation, left?.get(seq) ?? 0) ? restricts : clears, relation.from, id);
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

/** Everything that `cascade` takes along, including the record itself, and following cycles. */
async function spread(referrers: Referrers, collection: StoredCollection, id: string): Promise<Ids> {
  const doomed: Ids = new Map();
  add(doomed, collection, id);
  const waiting = [{ to: collection, ids: new Set([id]) }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const relation of next.to.referrers) {
      if (relation.field.onDelete !== 'cascade') continue;
      const fresh = new Set<string>();
      for await (const found of referrers.of(relation, next.ids)) {
        for (const { id: one } of found) {
          if (doomed.get(relation.from)?.has(one)) continue;
          add(doomed, relation.from, one);
          fresh.add(one);
        }
      }
      if (fresh.size > 0) waiting.push({ to: relation.from, ids: fresh });
    }
  }
  return doomed;
}

/** Whether it matters how many others a record still refers to. */
const countsLeft = ({ field }: StoredRelation) =>
  fieldType(field).plural(field) && (field.required === true || field.minItems !== undefined);

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
