import type { Table } from '../reference/model.ts';
import { strangerId } from '../support.ts';
import { type Desk, pickToken, projectPath, type Request } from './desk.ts';

const formats = ['csv', 'json', 'ndjson', 'xlsx'];

/** A question about the records of a collection. */
export function readStep(desk: Desk, collection: string, table: Table): Request {
  const { dice, known, questions } = desk;
  const path = `${projectPath}/${collection}`;
  const base = { verb: 'GET', token: pickToken(desk) };
  const way = dice.below(36);
  if (way < 16) return { ...base, path: `${path}?${ownFields(desk, questions.viewAll(collection))}` };
  if (way < 20) return { ...base, path: `${path}?${and(questions.walk(collection), 'after=')}` };
  if (way < 24 && known.cursors.length > 0) {
    const { path: walked, next, token } = dice.pick(known.cursors.slice(-5));
    return { verb: 'GET', token, path: `${and(walked, `after=${next}`)}` };
  }
  if (way < 30) return { ...base, path: `${path}/distinct?${questions.distinct(collection)}` };
  if (way < 34) {
    const asked = questions.walk(collection).replace(/&?(?:perPage|include)=[^&]*/g, '');
    return { ...base, path: `${path}/export?${and(asked, `format=${dice.pick(formats)}`)}` };
  }
  if (table.rows.length === 0) return { ...base, path };
  return { ...base, path: `${path}/${dice.pick(table.rows)._id}` };
}

const and = (query: string, more: string) =>
  query === '' || query.endsWith('?') ? query + more : `${query}&${more}`;

/** Now and then who has the records is asked for, too. */
function ownFields({ dice, peopled, known }: Desk, query: string): string {
  if (peopled && dice.chance(12)) {
    const [name, ids] = dice.pick([
      ['_owner', known.users] as const,
      ['_workspace', known.workspaces] as const,
    ]);
    const values = dice.some(['', strangerId, ...ids], 1, 3);
    return and(query, `${name}${dice.pick(['=', '!=', '!==', '>'])}${values.join(',')}`);
  }
  if (!peopled || !dice.chance(15) || query.includes('fields=')) return query;
  return and(query, `fields=${dice.pick(['_owner', '_workspace,_owner', '_id,_workspace'])}`);
}
