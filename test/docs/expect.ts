import assert from 'node:assert/strict';

/** In an answer of a page `…` stands for anything: a value, a part of a text, the rest of an array or object. */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** As key or element: whatever else there is. */
const rest = '…rest';

export function assertJson(expected: string, actual: string): void {
  const differences = compare(readExpected(expected), JSON.parse(actual) as Json, 'answer');
  assert.deepEqual(differences, [], `the answer was ${JSON.stringify(JSON.parse(actual), null, 2)}`);
}

export function assertText(expected: string, actual: string): void {
  const [wanted, got] = [expected, actual].map((text) => text.replaceAll('\r\n', '\n').trim());
  if (!pattern(wanted ?? '').test(got ?? '')) assert.equal(got, wanted);
}

/** The status, and of the headers those that are named. */
export function assertHttp(expected: string, response: Response, body: string): void {
  const [head = '', ...parts] = expected.split('\n\n');
  const [status = '', ...headers] = head.split('\n');
  assert.equal(String(response.status), /^HTTP\/1\.1 (\d{3})/.exec(status)?.[1], body);
  for (const line of headers) {
    const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? [];
    assertText(value, response.headers.get(name) ?? `(no header ${name})`);
  }
  const wanted = parts.join('\n\n');
  if (wanted.trim() === '') assert.equal(body, '');
  else assertJson(wanted, body);
}

function readExpected(text: string): Json {
  const open: string[] = [];
  let before = '';
  const json = text.replace(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|…/g, (token) => {
    const after = before;
    before = token;
    if (token === '{' || token === '[') open.push(token);
    if (token === '}' || token === ']') open.pop();
    if (token !== '…') return token;
    if (after === ':') return '"…"';
    return open.at(-1) === '{' ? `"${rest}": ""` : `"${rest}"`;
  });
  return JSON.parse(json) as Json;
}

function compare(expected: Json, actual: Json, at: string): string[] {
  if (expected === '…') return [];
  if (typeof expected === 'string' && typeof actual === 'string') {
    return pattern(expected).test(actual) ? [] : [`${at}: '${expected}' became '${actual}'`];
  }
  if (Array.isArray(expected) && Array.isArray(actual)) return compareArrays(expected, actual, at);
  if (isObject(expected) && isObject(actual)) return compareObjects(expected, actual, at);
  return Object.is(expected, actual)
    ? []
    : [`${at}: ${JSON.stringify(expected)} became ${JSON.stringify(actual)}`];
}

function compareArrays(expected: Json[], actual: Json[], at: string): string[] {
  const open = expected.at(-1) === rest;
  const wanted = open ? expected.slice(0, -1) : expected;
  if (open ? actual.length < wanted.length : actual.length !== wanted.length) {
    return [`${at}: ${wanted.length} elements became ${actual.length}`];
  }
  return wanted.flatMap((item, index) => compare(item, actual[index] as Json, `${at}[${index}]`));
}

function compareObjects(
  { [rest]: others, ...wanted }: Record<string, Json>,
  actual: Record<string, Json>,
  at: string,
): string[] {
  const more = Object.keys(actual).filter((key) => !Object.hasOwn(wanted, key));
  return [
    ...(others === undefined && more.length > 0 ? [`${at}: has ${more.join(', ')} too`] : []),
    ...Object.entries(wanted).flatMap(([key, value]) =>
      Object.hasOwn(actual, key)
        ? compare(value, actual[key] as Json, `${at}.${key}`)
        : [`${at}: lacks ${key}`],
    ),
  ];
}

function pattern(text: string): RegExp {
  return new RegExp(`^${text.split('…').map(escaped).join('.*')}$`, 's');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function isObject(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
