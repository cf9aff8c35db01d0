import { type Awaitable, inSteps } from '../awaitable.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { stringEnd } from '../model/json-strings.ts';
import { type RecordTexts, textOf } from '../store/record-texts.ts';

/** Most characters of records that are parsed at once, which takes a few milliseconds. */
const mostAtOnce = 100_000;

/** Each record with only the named fields, and always `_id`. */
export function selectFields(found: string, fields: readonly string[]): string {
  const names = ['_id', ...fields.filter((name) => name !== '_id')];
  const records = JSON.parse(`[${found}]`) as JsonObject[];
  return records
    .map((record) => JSON.stringify(Object.fromEntries(names.map((name) => [name, record[name] as Json]))))
    .join(',');
}

/** The same for a page, which may be large: then record by record, so that other requests get their turn. */
export function selectFromPage(found: string | RecordTexts, fields: readonly string[]): Awaitable<string> {
  if (typeof found !== 'string') return inSteps(selectEach(decoded(found), fields));
  return found.length > mostAtOnce ? inSteps(selectEach(divide(found), fields)) : selectFields(found, fields);
}

function* decoded(found: RecordTexts): Generator<string, void, void> {
  for (const record of found) yield textOf(record);
}

function* selectEach(records: Iterable<string>, fields: readonly string[]): Generator<void, string, void> {
  const selected: string[] = [];
  for (const record of records) {
    selected.push(selectFields(record, fields));
    yield;
  }
  return selected.join(',');
}

/** Splits a text of JSON objects that are separated by commas. */
export function* divide(found: string): Generator<string, void, void> {
  let start = 0;
  let depth = 0;
  for (let at = 0; at < found.length; at++) {
    switch (found.charCodeAt(at)) {
      case 0x22:
        at = stringEnd(found, at) - 1;
        break;
      case 0x7b:
      case 0x5b:
        depth += 1;
        break;
      case 0x7d:
      case 0x5d:
        depth -= 1;
        if (depth > 0) break;
        yield found.slice(start, at + 1);
        start = at + 2;
    }
  }
}
