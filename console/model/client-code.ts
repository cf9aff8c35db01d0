import type { Definition } from '../../client/admin.ts';
import type { Json } from '../../client/client.ts';
import { findField, itemField } from './fields.ts';
import { type Condition, type ListQuery, whereOf } from './list-query.ts';

/** Conditions as one would write them for the client: numbers as numbers, a single value without an array, `=` left out. */
function writtenWhere(definition: Definition, conditions: readonly Condition[]): Json {
  const readerOf = (name: string) => {
    const field = findField(definition, name);
    const type = field && (field.type === 'list' ? itemField(field) : field).type;
    return (text: string): Json => {
      if (text === '') return null;
      if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
      return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text;
    };
  };
  const entries = Object.entries(whereOf(conditions)).map(([name, asked]): [string, Json] => {
    const values = Object.entries(asked).map(([operator, texts]): [string, Json] => {
      const typed = texts.map(readerOf(name));
      return [operator, typed.length === 1 ? (typed[0] ?? null) : typed];
    });
    const [first] = values;
    return [name, values.length === 1 && first?.[0] === '=' ? first[1] : Object.fromEntries(values)];
  });
  return Object.fromEntries(entries);
}

/** The options of `list`, as code; `more` has those that are not part of the query. */
export function listOptions(
  definition: Definition,
  { conditions, search, sort }: Pick<ListQuery, 'conditions' | 'search' | 'sort'>,
  more: Readonly<Record<string, Json>> = {},
): string {
  const options = {
    ...(conditions.length > 0 && { where: writtenWhere(definition, conditions) }),
    ...(search !== '' && { search }),
    ...(sort.length > 0 && { sort }),
    ...more,
  };
  return Object.keys(options).length === 0 ? '' : literal(options as Json);
}

/** A value as a JavaScript literal: keys unquoted where possible, strings in single quotes. */
export function literal(value: Json): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([name, one]) => `${/^[a-z_$][\w$]*$/i.test(name) ? name : literal(name)}: ${literal(one)}`,
  );
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
