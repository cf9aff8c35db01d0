import type { Scope } from '../../../access/scope.ts';
import type { Awaitable } from '../../../awaitable.ts';
import type { ColumnValue } from '../../../model/field.ts';
import type { ChangesAnswer, ChangesPlan, FollowedCollection, FoundChange } from '../../changes.ts';
import { StaleSchema, type StoredCollection } from '../../schema.ts';
import { findRevoked } from '../accounts/find-revoked.ts';
import type { Connection } from '../dialect.ts';
import { recordTable } from '../names.ts';
import { andScope } from '../records/where.ts';
import { readSchemaVersion } from '../schema/load-schema.ts';
import { tables } from '../tables.ts';
import { join, type Sql, sql } from '../tag.ts';
import { kinds } from './change-log.ts';
import { findEnd, requireStart, type Watermark } from './read-log.ts';

/** Records read at a time, and the total length of their texts after which a page ends. */
const mostRecords = 64;
const mostLength = 4 * 1024 * 1024;
/** Records up to this many bytes are read together: a larger one is read separately, once it is certain that it is shown. */
const longest = 64 * 1024;

/** A row of the log that concerns one of the followed collections. */
interface Candidate {
  readonly pos: number;
  readonly mark: number;
  readonly kind: number;
  readonly collection: number;
  readonly id: string;
  readonly at: number;
  readonly owner: string | null;
  readonly workspace: string | null;
}

type CollectionOf = (followed: FollowedCollection) => StoredCollection;

/**
 * The next part of the log, in one snapshot: for each record the last change that concerns the scope. The record itself tells
 * which one that is: a change carries its `_updatedAt`, which no two changes of a record share.
 */
export async function readChanges(
  db: Connection,
  collectionOf: CollectionOf,
  plan: ChangesPlan,
  watermark: Watermark,
): Promise<ChangesAnswer> {
  if ((await readSchemaVersion(db)) !== plan.version) throw new StaleSchema();
  const revoked = await findRevoked(db, plan.authorities, plan.now);
  const start = await requireStart(db, plan.after);
  const { end, isLast } = await findEnd(db, start, watermark);
  const candidates = await readCandidates(db, plan, start.pos, end.pos);
  const followed = new Map(plan.collections.map((one) => [one.ref.key, one]));
  const changes: FoundChange[] = [];
  let done = 0;
  for (let length = 0; done < candidates.length && length < mostLength; ) {
    const part = candidates.slice(done, done + mostRecords);
    const found = await readRecords(db, collectionOf, followed, part);
    for (const candidate of part) {
      if (length >= mostLength) break;
      const change = await toChange(db, plan, followed, candidate, found);
      if (change) changes.push(change);
      if (change && change.kind !== 'refetch') length += change.json?.length ?? 0;
      done += 1;
    }
  }
  const last = candidates.at(done - 1);
  const cut = done < candidates.length || candidates.length === plan.limit;
  const next = cut && last ? { pos: last.pos, mark: last.mark } : end;
  const upToDate = isLast && next.pos === end.pos;
  return { changes, next, upToDate, pending: watermark.pending, revoked };
}

async function readCandidates(
  db: Connection,
  { collections, limit }: ChangesPlan,
  start: number,
  end: number,
): Promise<Candidate[]> {
  const rows = await db.rows(sql`
    SELECT pos, mark, kind, collection, id, at, owner, workspace FROM ${tables.changes}
    WHERE pos > ${start} AND pos <= ${end} AND (kind = ${kinds.refetch}${concerning(db, collections)})
    ORDER BY pos LIMIT ${limit}`);
  return rows.map(([pos, mark, kind, collection, id, at, owner, workspace]) => ({
    pos: Number(pos),
    mark: Number(mark),
    kind: Number(kind),
    collection: Number(collection),
    id: String(id),
    at: Number(at),
    owner: owner as string | null,
    workspace: workspace as string | null,
  }));
}

/** ` OR …`, one condition per scope: the text is the same however many collections there are. */
function concerning(db: Connection, collections: readonly FollowedCollection[]): Sql {
  const byScope = Map.groupBy(collections, ({ scope }) => JSON.stringify(scope));
  const conditions = [...byScope.values()].map((group) => {
    const keys = group.map(({ ref }) => ref.key);
    const among = sql`collection IN (${db.dialect.values(keys, 'integer')})`;
    return sql` OR (${among}${andConcerns(group[0]?.scope ?? { kind: 'all' })})`;
  });
  return join(conditions, '');
}

/** Whether a record was in scope before the change, or is after it. */
function andConcerns(scope: Scope): Sql {
  switch (scope.kind) {
    case 'all':
      return sql``;
    case 'owner':
      return sql` AND (owner = ${scope.owner} OR old_owner = ${scope.owner})`;
    case 'workspace':
      return sql` AND (workspace = ${scope.workspace} OR old_workspace = ${scope.workspace})`;
  }
}

interface Found {
  readonly updated: number;
  read(): Awaitable<string>;
}

/** The records as they are now, by id, if in scope. */
async function readRecords(
  db: Connection,
  collectionOf: CollectionOf,
  followed: ReadonlyMap<number, FollowedCollection>,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>();
  const changed = candidates.filter(({ kind }) => kind !== kinds.refetch && kind !== kinds.delete);
  for (const [key, group] of Map.groupBy(changed, ({ collection }) => collection)) {
    const one = followed.get(key);
    if (!one) continue;
    const ids = [...new Set(group.map(({ id }) => id))];
    const records = recordTable(collectionOf(one));
    const rows = await db.rows(sql`
      SELECT id, updated, CASE WHEN octet_length(json) <= ${longest} THEN json END, owner, workspace FROM ${records}
      WHERE id IN (${db.dialect.values(ids, 'text')})${andScope(one.scope)}`);
    for (const [id = '', updated, json, owner, workspace] of rows) {
      const extra = { _owner: owner ?? null, _workspace: workspace ?? null };
      const finish = (text: unknown) => withExtra(String(text), one.extra, extra);
      const read = async () => finish((await db.row(sql`SELECT json FROM ${records} WHERE id = ${id}`))?.[0]);
      found.set(String(id), {
        updated: Number(updated),
        read: typeof json === 'string' ? () => finish(json) : read,
      });
    }
  }
  return found;
}

function withExtra(
  json: string,
  names: FollowedCollection['extra'],
  values: Record<'_owner' | '_workspace', ColumnValue>,
): string {
  const added = names.map((name) => `,"${name}":${JSON.stringify(values[name])}`);
  return added.length === 0 ? json : `${json.slice(0, -1)}${added.join('')}}`;
}

/** undefined: a later change reports it. */
async function toChange(
  db: Connection,
  { names }: ChangesPlan,
  followed: ReadonlyMap<number, FollowedCollection>,
  candidate: Candidate,
  records: ReadonlyMap<string, Found>,
): Promise<FoundChange | undefined> {
  const { pos, mark, kind, collection, id, at, owner } = candidate;
  if (kind === kinds.refetch) {
    if (names && !names.includes(id)) return undefined;
    return { pos, mark, kind: 'refetch', name: id, level: owner ?? undefined, at };
  }
  const scope = followed.get(collection)?.scope ?? { kind: 'all' };
  const place = { pos, mark, collection, id, at };
  const record = records.get(id);
  if (record) {
    if (record.updated !== at) return undefined;
    return { ...place, kind: kind === kinds.create ? 'create' : 'update', json: await record.read() };
  }
  const isLoss = kind === kinds.handover && !isInScope(scope, candidate);
  const isLast = kind === kinds.delete || (isLoss && !(await isHandedOverAgain(db, candidate, scope)));
  return isLast ? { ...place, kind: 'delete', json: undefined } : undefined;
}

function isInScope(scope: Scope, { owner, workspace }: Candidate): boolean {
  switch (scope.kind) {
    case 'all':
      return true;
    case 'owner':
      return owner === scope.owner;
    case 'workspace':
      return workspace === scope.workspace;
  }
}

/** Whether a later handover has brought the record back into the scope. Handovers are rare, and indexed. */
async function isHandedOverAgain(
  db: Connection,
  { collection, id, pos }: Candidate,
  scope: Scope,
): Promise<boolean> {
  const row = await db.row(sql`
    SELECT 1 FROM ${tables.changes}
    WHERE kind = 5 AND collection = ${collection} AND id = ${id} AND pos > ${pos}${andConcerns(scope)} LIMIT 1`);
  return row !== undefined;
}
