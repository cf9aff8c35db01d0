import { Failure } from '../failure.ts';
import { isJsonObject, type Json, type JsonObject, jsonKind } from './json.ts';
import {
  JsonScan,
  type LargeContainer,
  type LargeString,
  type LargeValue,
  notJson,
  parse,
} from './json-scan.ts';
import { countKeys, isEscaped } from './json-strings.ts';

/** A text with fewer characters can't exceed the limits on keys, items and objects. */
const shortText = 16 * 1024;

/** Parses a text that must be an object, and refuses what JSON.parse silently accepts. `what`: the text's name in messages. */
export function readJsonObject(text: string, deepest: number, what = 'The body'): JsonObject {
  const short = text.length < shortText ? readShort(text, deepest) : undefined;
  if (short) return short;
  refuseEmpty(text, what);
  new JsonScan(text, deepest, what, Number.POSITIVE_INFINITY).advance(text.length);
  return objectOf(parse(text, what), what);
}

/**
 * Parses a short text without the scan, which takes five times as long as the parser. Returns undefined if the scan might find
 * something to refuse, such as a duplicate key.
 */
function readShort(text: string, deepest: number): JsonObject | undefined {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isJsonObject(value) && countMembers(value, deepest) === countKeys(text) ? value : undefined;
}

/** NaN if it is too deep, or has a forbidden key. */
function countMembers(value: Json, levels: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0 || Object.hasOwn(value, '__proto__')) return Number.NaN;
  const items = Array.isArray(value) ? value : Object.values(value);
  let count = Array.isArray(value) ? 0 : items.length;
  for (const item of items) count += countMembers(item, levels - 1);
  return count;
}

interface Reading {
  /** The name of the text in messages. */
  readonly what: string;
  /** Characters that are scanned in one step. */
  readonly scannedAtOnce: number;
  /** Characters that are parsed in one step. */
  readonly partLength: number;
}

/** Each step takes a few milliseconds at most. */
const usualReading: Reading = { what: 'The body', scannedAtOnce: 256 * 1024, partLength: 16 * 1024 };

/**
 * The same in steps of a few milliseconds, for long texts: the parser takes a second for 16 MiB of brackets, and a tenth of a
 * second for as many escapes.
 */
export function* readJsonInSteps(
  text: string,
  deepest: number,
  options: Partial<Reading> = {},
): Generator<void, JsonObject, void> {
  const reading = { ...usualReading, ...options };
  const { what, scannedAtOnce, partLength } = reading;
  refuseEmpty(text, what);
  const scan = new JsonScan(text, deepest, what, partLength);
  while (scan.advance(scannedAtOnce)) yield;
  const { large } = scan;
  if (!large) return objectOf(parse(text, what), what);
  if (!isBlank(text, 0, large.start) || !isBlank(text, large.end + 1, text.length)) throw notJson(what);
  return objectOf(yield* build(text, large, reading), what);
}

function* build(text: string, large: LargeValue, reading: Reading): Generator<void, Json, void> {
  return large.kind === '"'
    ? yield* buildString(text, large, reading)
    : yield* buildContainer(text, large, reading);
}

function* buildString(
  text: string,
  { start, end }: LargeString,
  { what, partLength }: Reading,
): Generator<void, string, void> {
  const parts: string[] = [];
  for (let from = start + 1; from < end; ) {
    const to = partEnd(text, from, Math.min(from + partLength, end));
    parts.push(parse<string>(`"${text.slice(from, to)}"`, what));
    from = to;
    yield;
  }
  return parts.join('');
}

/** `to`, or the end of an escape sequence that `to` would cut in two. `from` is not inside of one. */
function partEnd(text: string, from: number, to: number): number {
  for (let index = Math.max(from, to - 5); index < to; index++) {
    if (text.charCodeAt(index) !== 0x5c || isEscaped(text, index, from)) continue;
    const escapeEnd = index + (text.charAt(index + 1) === 'u' ? 6 : 2);
    if (escapeEnd > to) return escapeEnd;
  }
  return to;
}

function* buildContainer(
  text: string,
  { kind, parts }: LargeContainer,
  reading: Reading,
): Generator<void, Json, void> {
  const { what } = reading;
  const items: Json[] = [];
  const members: Record<string, Json> = {};
  for (const { from, to, child } of parts) {
    const value = child ? yield* build(text, child, reading) : undefined;
    if (child && !isBlank(text, child.end + 1, to)) throw notJson(what);
    if (!child && isBlank(text, from, to)) throw notJson(what); // a comma with nothing after it
    const rest = text.slice(from, child ? child.start : to);
    if (kind === '[') {
      if (value === undefined) for (const item of parse<Json[]>(`[${rest}]`, what)) items.push(item);
      else if (isBlank(text, from, from + rest.length)) items.push(value);
      else throw notJson(what);
    } else {
      const some = parse<Record<string, Json>>(value === undefined ? `{${rest}}` : `{${rest}null}`, what);
      const [key] = Object.keys(some);
      if (value !== undefined && key !== undefined) some[key] = value;
      Object.assign(members, some);
    }
    yield;
  }
  return kind === '[' ? items : members;
}

/** Whether there is only JSON white space: spaces, tabs and line breaks. */
function isBlank(text: string, from: number, to: number): boolean {
  for (let index = from; index < to; index++) {
    const code = text.charCodeAt(index);
    if (code !== 0x20 && (code < 0x09 || code > 0x0d || code === 0x0b || code === 0x0c)) return false;
  }
  return true;
}

function refuseEmpty(text: string, what: string): void {
  if (!/\S/.test(text)) throw new Failure('invalid', `${what} is empty: it must be a JSON object`);
}

function objectOf(value: Json, what: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Failure('invalid', `${what} must be a JSON object, not ${jsonKind(value)}`);
}
