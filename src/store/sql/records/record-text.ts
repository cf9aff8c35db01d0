import type { ListPlan } from '../../plans.ts';
import { raw, type Sql } from '../tag.ts';

/** A record's JSON with the requested service fields. `opened`: the SQL of the JSON without its closing brace. */
export const recordTextBy =
  (opened: string) =>
  (extra: ListPlan['extra']): Sql => {
    if (extra.length === 0) return raw('json');
    const added = extra.map((name) => {
      const held = name === '_owner' ? 'owner' : 'workspace';
      return ` || ',"${name}":' || CASE WHEN ${held} IS NULL THEN 'null' ELSE '"' || ${held} || '"' END`;
    });
    return raw(`${opened}${added.join('')} || '}'`);
  };
