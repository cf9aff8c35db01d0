import type { IncludePlan, IncludeStep } from '../../../plans.ts';
import { relationOf, type StoredCollection, type StoredRelation } from '../../../schema.ts';
import { column, recordTable } from '../../../sql/names.ts';
import { andScope } from '../../../sql/records/where.ts';
import { join, raw, type Sql, sql } from '../../../sql/tag.ts';

/** What to add to the statement of a page to include the records that it refers to. */
export interface Include {
  /** Columns that the page must have besides `seq` and `json`. */
  readonly needed: readonly string[];
  /** `, i0 AS (…), i1 AS (…)`, to follow the page's own CTE. */
  readonly tables: Sql;
  /** For each path the JSON of its records. */
  readonly found: readonly Sql[];
  /** Total bytes of all of them. */
  readonly size: Sql;
}

interface Reached {
  readonly name: string;
  readonly relation: StoredRelation;
  readonly scope: IncludeStep['scope'];
  readonly source: string;
}

/** Paths with a common prefix share its steps. `page` is the table that all of them start from. */
export function includeOf(
  collection: StoredCollection,
  paths: readonly IncludePlan[],
  page: string,
): Include {
  const reached = new Map<string, Reached>();
  for (const { steps } of paths) {
    let [source, from] = [page, collection];
    for (const [depth, { field, scope }] of steps.entries()) {
      const place = placeOf(steps.slice(0, depth + 1));
      const relation = relationOf(from, field);
      const step = reached.get(place) ?? { name: `i${reached.size}`, relation, scope, source };
      reached.set(place, step);
      [source, from] = [step.name, relation.to];
    }
  }
  const tables = [...reached.values()].map((step) => follow(step, neededBy(reached, step.name)));
  const ends = paths.map(({ steps }) => reached.get(placeOf(steps))?.name ?? page);
  const sizes = ends.map((name) => `(SELECT coalesce(sum(octet_length(json) + 1), 0) FROM ${name})`);
  const size = sizes.length === 0 ? '0' : `(${sizes.join(' + ')})`;
  return {
    needed: neededBy(reached, page),
    tables: join(tables, ''),
    found: ends.map((name) => sql`(SELECT string_agg(json, ',' ORDER BY id) FROM ${raw(name)})`),
    size: raw(size),
  };
}

const placeOf = (steps: readonly IncludeStep[]) => steps.map(({ field }) => field).join('.');

/** The columns of single relations; the ids of multiple ones are in the record's JSON. */
function neededBy(reached: ReadonlyMap<string, Reached>, source: string): string[] {
  const columns = [...reached.values()]
    .filter((step) => step.source === source)
    .filter(({ relation }) => relation.field.kind === 'single')
    .map(({ relation: { from, field } }) => column(from, field.name).text);
  return [...new Set(columns)];
}

function follow({ name, relation, scope, source }: Reached, needed: readonly string[]): Sql {
  const { to, from, field } = relation;
  const these = raw(source);
  const ids =
    field.kind === 'multiple'
      ? sql`
        SELECT item.value
        FROM ${these}, json_array_elements_text(${these}.json::json -> ${field.name}::text) AS item (value)`
      : sql`SELECT ${column(from, field.name)} FROM ${these}`;
  const columns = raw(['id', 'json', ...needed].join(', '));
  const which = scope ? sql`id IN (${ids})${andScope(scope)}` : raw('FALSE');
  return sql`,
    ${raw(name)} AS MATERIALIZED (SELECT ${columns} FROM ${recordTable(to)} WHERE ${which})`;
}
