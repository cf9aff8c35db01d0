import type { Scope } from '../../../../access/scope.ts';
import type { ColumnValue } from '../../../../model/field.ts';
import { fieldType } from '../../../../model/field-types.ts';
import { Lru, perCollection, remember } from '../../../cache.ts';
import type { Condition, Where } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { scopeValues, whereClause } from '../../../sql/records/where.ts';
import type { Sql } from '../../../sql/tag.ts';
import { sqliteDialect } from '../dialect.ts';

/** Per collection: an app asks in a few dozen ways. */
const most = 256;

/** Gives SQL that was composed for all filters of a shape the values of one of them. */
export type Fill = (template: Sql) => Sql;

/**
 * What is composed of a filter, once for all that differ in their values alone: of a filter that was not asked for before, that is all
 * that is new in most cases, and composing its SQL took a seventh of the time of a page. `fill`: what becomes of the SQL in it.
 */
export function perShape<T, Rest extends readonly (string | number)[]>(
  compose: (collection: StoredCollection, where: Where, ...rest: Rest) => T,
  fill: (composed: T, given: Fill) => T,
): (collection: StoredCollection, where: Where, ...rest: Rest) => T {
  const known = perCollection(() => new Lru<string, T>({ most }));
  return (collection, where, ...rest) => {
    const shape = shapeOf(collection, where);
    if (shape === undefined) return compose(collection, where, ...rest);
    const composed = remember(known(collection), `${rest.join()} ${shape}`, () =>
      compose(collection, placed(where), ...rest),
    );
    const values = valuesOf(where);
    return fill(composed, (template) => ({
      text: template.text,
      parts: template.parts,
      values: template.values.map((value) =>
        isPlace(value) ? (values[Number(value.slice(1))] ?? null) : value,
      ),
    }));
  };
}

/** The WHERE clause of a filter, as `whereClause` has it. */
export const filterClause = perShape(
  (collection: StoredCollection, where: Where) => whereClause(sqliteDialect, collection, where),
  (clause, given) => given(clause),
);

/** undefined: its SQL depends on more than how many values there are, or there are so many that they are sent as one. */
function shapeOf({ definition }: StoredCollection, { scope, conditions, search }: Where): string | undefined {
  if (search.length > 0) return undefined;
  let shape: string = scope.kind;
  for (const condition of conditions) {
    const field = definition.fields.get(condition.name);
    if (field && fieldType(field).plural(field)) return undefined;
    if (condition.kind === 'compare') {
      const part = ` ${condition.name}${condition.operator[0]}`;
      if (shape.includes(part)) return undefined; // which of two ends of a range is the tighter one is up to their values
      shape += `${part}${condition.operator[1] ?? ' '}`;
    } else if (condition.values.length === 1 && condition.values[0] !== null) {
      shape += ` ${condition.name} ${condition.kind}`;
    } else return undefined;
  }
  return shape;
}

function valuesOf({ scope, conditions }: Where): ColumnValue[] {
  const values: ColumnValue[] = scopeValues(scope);
  for (const condition of conditions)
    values.push(condition.kind === 'compare' ? condition.value : (condition.values[0] ?? null));
  return values;
}

/** Stands for a value by its number. No value of a record begins like that. */
const place = (number: number) => `\0${number}`;
const isPlace = (value: ColumnValue): value is string => typeof value === 'string' && value.startsWith('\0');

/** The same filter with places in place of its values. */
function placed({ scope, conditions, search }: Where): Where {
  const first = scope.kind === 'all' ? 0 : 1;
  return {
    scope: placedScope(scope),
    conditions: conditions.map((condition, index): Condition => {
      const value = place(first + index);
      return condition.kind === 'compare' ? { ...condition, value } : { ...condition, values: [value] };
    }),
    search,
  };
}

function placedScope(scope: Scope): Scope {
  switch (scope.kind) {
    case 'all':
      return scope;
    case 'owner':
      return { kind: 'owner', owner: place(0) };
    case 'workspace':
      return { kind: 'workspace', workspace: place(0) };
  }
}
