/**
 * The query of a list, in the API's own words: it stands in the address of the screen, in the filter bar, and in what is sent.
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
  /** Names, with a minus in front where it goes down. */
  readonly sort: readonly string[];
  /** What is the console's own: which columns are shown, which record is open. */
  readonly columns: readonly string[] | undefined;
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
    else if (operator === '=' && name === '_columns') columns = value.split(',').filter((one) => one !== '');
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

/** `price>=10`, `price%3E%3D=10`, `price>10`, `status!=draft`: the operator may be encoded with the name or stand before the value. */
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

/** Only what would be read as something else is encoded: it is to be read by people too. */
const encode = (text: string) =>
  text.replace(/[%&#+<>"\s\p{Cc}]/gu, (letter) => encodeURIComponent(letter)).replace(/^=/, '%3D');

function writeCondition(condition: Condition): string {
  return `${condition.field}${condition.operator}${encode(joinValues(condition))}`;
}

/** The API's part of it: conditions, search and sort. */
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

/** As a browser would send it; what is encoded already stays as it is. */
export const encodeQuery = (query: string) =>
  query.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (one) => encodeURIComponent(one));

/** Easier to read; what must stay encoded to mean the same does. */
export const readableQuery = (query: string) =>
  query.replaceAll('%3E', '>').replaceAll('%3C', '<').replaceAll('%20', ' ');

/** All of it, for the address. */
export function writeListQuery(query: ListQuery): string {
  return [
    writeApiQuery(query),
    ...(query.columns === undefined ? [] : [`_columns=${query.columns.map(encode).join(',')}`]),
    ...(query.open === undefined ? [] : [`_open=${encode(query.open)}`]),
  ]
    .filter((part) => part !== '')
    .join('&');
}

/** As the client takes it. */
export function whereOf(conditions: readonly Condition[]): Record<string, Record<string, string[]>> {
  const where: Record<string, Record<string, string[]>> = {};
  for (const { field, operator, values } of conditions) {
    const asked = where[field] ?? {};
    asked[operator] = [...(asked[operator] ?? []), ...values];
    where[field] = asked;
  }
  return where;
}
