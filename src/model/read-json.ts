import { Failure } from '../failure.ts';
import { isJsonObject, type Json, type JsonObject, jsonKind } from './json.ts';

/** Text to the object it must be. What JSON.parse lets pass silently is refused here. `what`: what messages call the text. */
export function readJsonObject(text: string, deepest: number, what = 'The body'): JsonObject {
  if (text.trim() === '') throw new Failure('invalid', `${what} is empty: it must be a JSON object`);
  guard(text, deepest, what);
  const value = parse(text, what);
  if (!isJsonObject(value))
    throw new Failure('invalid', `${what} must be a JSON object, not ${jsonKind(value)}`);
  return value;
}

function parse(text: string, what: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Failure('invalid', `${what} is not valid JSON`);
  }
}

/**
 * Different names of keys in a body: more than any collection has fields. Of a million the parser makes a dictionary
 * entry each, for seconds.
 */
const mostNames = 20_000;

/**
 * Finds nesting that is too deep (before the parser meets it), more names of keys than there can be, a key that is there
 * twice (of which the parser would keep one without a word) and `__proto__`. Text that is not JSON at all is left to the parser.
 */
function guard(text: string, deepest: number, what: string): void {
  const open: (Set<string> | undefined)[] = [];
  const names = new Set<string>();
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: {
        const end = stringEnd(text, index);
        const keys = open.at(-1);
        if (keys && isKey(text, end)) noteKey(text.slice(index, end), keys, names, what);
        index = end - 1;
        break;
      }
      case 0x7b:
        open.push(new Set());
        break;
      case 0x5b:
        open.push(undefined);
        break;
      case 0x7d:
      case 0x5d:
        open.pop();
        break;
    }
    if (open.length > deepest)
      throw new Failure('invalid', `${what} is nested deeper than ${deepest} levels`);
  }
}

/** Where the string that begins at `start` ends, its closing quote included. */
function stringEnd(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
  } while (isEscaped(text, end));
  return end + 1;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(index - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

function isKey(text: string, end: number): boolean {
  let next = end;
  while (text.charCodeAt(next) <= 0x20) next++;
  return text.charCodeAt(next) === 0x3a;
}

function noteKey(literal: string, keys: Set<string>, names: Set<string>, what: string): void {
  const key = literal.includes('\\') ? String(parse(literal, what)) : literal.slice(1, -1);
  if (key === '__proto__') throw new Failure('invalid', `${what} must not have a key named '__proto__'`);
  if (keys.has(key)) throw new Failure('invalid', `${key}: is in ${what.replace('The', 'the')} twice`);
  keys.add(key);
  if (names.add(key).size > mostNames)
    throw new Failure('invalid', `${what} has more than ${mostNames} different keys`);
}
