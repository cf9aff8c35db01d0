import type { IncludePlan, IncludeStep } from '../../../plans.ts';
import { column, recordTable } from '../../../sql/names.ts';
import { andScope } from '../../../sql/records/where.ts';
import { join, raw, type Sql, sql } from '../../../sql/tag.ts';

/** What has to be added to the statement of a page for the records that it refers to. */
export interface Include {
  /** Columns that the page must have beside `seq` and `json`. */
  readonly needed: readonly string[];
  /** `, i0 AS (…), i1 AS (…)`, to stand behind the page. */
  readonly tables: Sql;
  /** For each path the text of its records. */
  readonly found: readonly Sql[];
}

interface Reached {
  readonly name: string;
  readonly steps: readonly IncludeStep[];
  readonly source: string;
}

/** A path that begins like another shares its steps. `page` is the table that it all begins with. */
export function includeOf(paths: readonly IncludePlan[], page: string): Include {
  const reached = new Map<string, Reached>();
  for (const { steps } of paths) {
    for (let depth = 1; depth <= steps.length; depth++) {
      const begun = steps.slice(0, depth);
      if (reached.has(placeOf(begun))) continue;
      const source = reached.get(placeOf(begun.slice(0, -1)))?.name ?? page;
      reached.set(placeOf(begun), { name: `i${reached.size}`, steps: begun, source });
    }
  }
  const tables = [...reached.values()].map((step) => follow(step, neededBy(reached, step.name)));
  return {
    needed: neededBy(reached, page),
    tables: join(tables, ''),
    found: paths.map(({ steps }) => {
      const name = reached.get(placeOf(steps))?.name ?? page;
      return sql`(SELECT string_agg(json, ',' ORDER BY id) FROM ${raw(name)})`;
    }),
  };
}

const placeOf = (steps: readonly IncludeStep[]) => steps.map(({ relation }) => relation.field.name).join('.');

/** The columns of single relations; those of several are in the record's JSON. */
function neededBy(reached: ReadonlyMap<string, Reached>, source: string): string[] {
  const columns = [...reached.values()]
    .filter((step) => step.source === source)
    .map(({ steps }) => relationOf(steps))
    .filter(({ field }) => field.kind === 'single')
    .map(({ from, field }) => column(from, field.name).text);
  return [...new Set(columns)];
}

function relationOf(steps: readonly IncludeStep[]): IncludeStep['relation'] {
  const last = steps.at(-1);
  if (!last) throw new Error('a path without steps');
  return last.relation;
}

function follow({ name, steps, source }: Reached, needed: readonly string[]): Sql {
  const { to, from, field } = relationOf(steps);
  const scope = steps.at(-1)?.scope;
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
