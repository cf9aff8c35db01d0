/**
 * The query of a list, in the API's own syntax: the URL of the screen, the filter bar and the request all use it.
 * `price>=10&tags=tea,coffee&search=winter&sort=-price`
 */

const operators = ['=', '!=', '>', '>=', '<', '<='] as const;
export type Operator = (typeof operators)[number];

export interface Condition {
  readonly field: string;
  readonly operator: Operator;
  /** Alternatives; the empty text stands for unset. */
  readonly values: readonly string[];
}

export interface ListQuery {
  readonly conditions: readonly Condition[];
  readonly search: string;
  /** Field names, with a minus in front for descending order. */
  readonly sort: readonly string[];
  /** `fields`: those that are shown. */
  readonly columns: readonly string[] | undefined;
  /** The console's own, not sent to the API: which record is open. */
  readonly open: string | undefined;
}

const emptyQuery: ListQuery = {
  conditions: [],
  search: '',
  sort: [],
  columns: undefined,
  open: undefined,
};

export function readListQuery(text: string): ListQuery {
  const conditions: Condition[] = [];
  let { search, columns, open }: ListQuery = emptyQuery;
  let sort: readonly string[] = [];
  for (const part of text.replace(/^\?/, '').split('&')) {
    if (part === '') continue;
    const { name, operator, value } = readPart(part);
    if (operator === '=' && name === 'search') search = value;
    else if (operator === '=' && name === 'sort') sort = value.split(',').filter((one) => one !== '');
    else if (operator === '=' && name === 'fields') columns = value.split(',').filter((one) => one !== '');
    else if (operator === '=' && name === '_open') open = value;
    else conditions.push({ field: name, operator, values: splitValues(value, operator) });
  }
  return { conditions, search, sort, columns, open };
}

interface Part {
  readonly name: string;
  readonly operator: Operator;
  readonly value: string;
}

/** Reads `price>=10`, `price>10`, `status!=draft`, and `price%3E%3D=10`, where the operator is encoded as part of the name. */
function readPart(part: string): Part {
  const at = part.indexOf('=');
  const left = decode(at < 0 ? part : part.slice(0, at));
  if (at < 0) {
    const [, name = left, operator = '=', value = ''] = /^([^<>!]+)([<>])(.*)$/s.exec(left) ?? [];
    return { name, operator: operator as Operator, value };
  }
  const right = part.slice(at + 1);
  const [, name = left, mark = ''] = /^(.*?)(!=|>=|<=|!|>|<)$/s.exec(left) ?? [];
  if (mark === '') return { name, operator: '=', value: decode(right) };
  const operator = (mark.endsWith('=') ? mark : `${mark}=`) as Operator;
  // A client that does not encode names writes `price>==10`.
  return { name, operator, value: decode(mark.endsWith('=') ? right : right.replace(/^=/, '')) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** A comma separates alternatives, unless a backslash stands before it. */
function splitValues(value: string, operator: Operator): string[] {
  if (operator !== '=' && operator !== '!=') return [value];
  return value.split(/(?<!\\),/).map((one) => one.replaceAll('\\,', ','));
}

const joinValues = ({ operator, values }: Condition) =>
  operator === '=' || operator === '!='
    ? values.map((one) => one.replaceAll(',', '\\,')).join(',')
    : (values[0] ?? '');

/** Encodes only what would change the meaning, as people read these URLs too. */
const encode = (text: string) =>
  text.replace(/[%&#+<>"\s\p{Cc}]/gu, (letter) => encodeURIComponent(letter)).replace(/^=/, '%3D');

function writeCondition(condition: Condition): string {
  return `${condition.field}${condition.operator}${encode(joinValues(condition))}`;
}

/** The part that says which records: conditions, search and sort. */
export function writeApiQuery({
  conditions,
  search,
  sort,
}: Pick<ListQuery, 'conditions' | 'search' | 'sort'>) {
  return [
    ...conditions.map(writeCondition),
    ...(search === '' ? [] : [`search=${encode(search)}`]),
    ...(sort.length === 0 ? [] : [`sort=${sort.join(',')}`]),
  ].join('&');
}

/** Encodes a query as a browser would send it; what is encoded already stays as it is. */
export const encodeQuery = (query: string) =>
  query.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (one) => encodeURIComponent(one));

/** Decodes for readability, except what must stay encoded to keep its meaning. */
export const readableQuery = (query: string) =>
  query.replaceAll('%3E', '>').replaceAll('%3C', '<').replaceAll('%20', ' ');

/** The whole query, for the URL of the screen; without `open` it is one of the API. */
export function writeListQuery(query: ListQuery): string {
  return [
    writeApiQuery(query),
    ...(query.columns === undefined ? [] : [`fields=${query.columns.map(encode).join(',')}`]),
    ...(query.open === undefined ? [] : [`_open=${encode(query.open)}`]),
  ]
    .filter((part) => part !== '')
    .join('&');
}

/** Conditions as the `where` option of the client. */
export function whereOf(conditions: readonly Condition[]): Record<string, Record<string, string[]>> {
  const where: Record<string, Record<string, string[]>> = {};
  for (const { field, operator, values } of conditions) {
    const asked = where[field] ?? {};
    asked[operator] = [...(asked[operator] ?? []), ...values];
    where[field] = asked;
  }
  return where;
}
