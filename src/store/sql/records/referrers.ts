import { setImmediate as turn } from 'node:timers/promises';
import { fieldType } from '../../../model/field-types.ts';
import { recordValues } from '../../record-json.ts';
import type { StoredRelation } from '../../schema.ts';
import { firstWithin } from '../../sizes.ts';
import type { Connection } from '../dialect.ts';
import { column, recordTable, valueTable } from '../names.ts';
import { join, raw, type Sql, sql } from '../tag.ts';

/** Ids and records per statement. */
const most = 1_000;
/** Milliseconds after which to yield to other work. */
const longest = 5;
/** Bytes of records read at a time. */
const mostBytes = 1024 * 1024;

export interface Referrer {
  readonly seq: number;
  readonly id: string;
  readonly bytes: number;
}

/** Finds the records that refer to others, without locks, in portions with other work in between. */
export class Referrers {
  readonly #db: Connection;
  #begun = performance.now();

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Those that refer to any of the ids. For a list, some are returned twice. */
  async *of(relation: StoredRelation, ids: ReadonlySet<string>): AsyncGenerator<readonly Referrer[], void> {
    const waiting = parts([...ids], most);
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const found = await this.#find(relation, next, 0);
      if (found.length < most) yield found;
      // A statement that continues after the last one would look up all of them again.
      else if (next.length > 1) waiting.push(...parts(next, Math.ceil(next.length / 2)));
      else yield* this.#ofOne(relation, next, found);
    }
  }

  async *#ofOne(relation: StoredRelation, ids: readonly string[], first: readonly Referrer[]) {
    for (let found = first; ; ) {
      yield found;
      const last = found.at(-1);
      if (!last || found.length < most) return;
      found = await this.#find(relation, ids, last.seq);
    }
  }

  /** Ordered by sequence number if there is only one id. */
  async #find(relation: StoredRelation, ids: readonly string[], after: number): Promise<Referrer[]> {
    await this.#pause();
    const rows = await this.#db.rows(statementOf(this.#db, relation, ids, after));
    return rows.map(([seq, id, bytes]) => ({ seq: Number(seq), id: String(id), bytes: Number(bytes) }));
  }

  async #pause(): Promise<void> {
    if (performance.now() - this.#begun < longest) return;
    await turn();
    this.#begun = performance.now();
  }
}

function statementOf(
  { dialect }: Connection,
  { from, field }: StoredRelation,
  ids: readonly string[],
  after: number,
): Sql {
  const records = recordTable(from);
  const plural = fieldType(field).plural(field);
  // CROSS JOIN keeps SQLite from scanning all records to find the few that are listed.
  const source = plural
    ? sql`${valueTable(from, field.name)} AS held CROSS JOIN ${records} AS record`
    : sql`${records} AS record`;
  const [target, place] = plural
    ? [raw('held.value'), raw('held.seq')]
    : [sql`record.${column(from, field.name)}`, raw('record.seq')];
  const [only] = ids;
  const where =
    ids.length === 1 && only !== undefined
      ? sql`${target} = ${only} AND ${place} > ${after} ORDER BY ${place}`
      : sql`${target} IN (${dialect.values(ids, 'text')})`;
  const joined = plural ? raw('record.seq = held.seq AND ') : raw('');
  return sql`
    SELECT ${join([place, raw('record.id'), raw('octet_length(record.json)')], ', ')}
    FROM ${source} WHERE ${joined}${where} LIMIT ${raw(String(most))}`;
}

/** How many others each of these records still refers to by a list, by sequence number. */
export async function leftIn(
  db: Connection,
  { from, field }: StoredRelation,
  records: readonly Referrer[],
  gone: ReadonlySet<string>,
): Promise<ReadonlyMap<number, number>> {
  const left = new Map<number, number>();
  for (let rest = records; rest.length > 0; ) {
    const some = firstWithin(rest, mostBytes, ({ bytes }) => bytes);
    rest = rest.slice(some.length);
    const seqs = db.dialect.values(
      some.map(({ seq }) => seq),
      'integer',
    );
    const rows = await db.rows(sql`SELECT seq, json FROM ${recordTable(from)} WHERE seq IN (${seqs})`);
    for (const [seq, json] of rows) {
      const ids = recordValues(String(json))[field.name] as readonly string[];
      left.set(Number(seq), ids.filter((id) => !gone.has(id)).length);
    }
    await turn();
  }
  return left;
}

function parts<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}
