import type { ListPlan } from '../../../plans.ts';
import { raw, type Sql } from '../../../sql/tag.ts';

/** With the service fields that are asked for. */
export function recordText(extra: ListPlan['extra']): Sql {
  if (extra.length === 0) return raw('json');
  const added = extra.map((name) => {
    const held = name === '_owner' ? 'owner' : 'workspace';
    return ` || ',"${name}":' || CASE WHEN ${held} IS NULL THEN 'null' ELSE '"' || ${held} || '"' END`;
  });
  return raw(`left(json, -1)${added.join('')} || '}'`);
}
