import { texts } from '../texts.ts';

/** Matches braces and strings in valid JSON; a string that is followed by a colon is a key. */
const token = /"((?:[^"\\]+|\\.)*)"\s*(:)?|[{}]/gs;

/**
 * Like `JSON.parse`, but a duplicate key is an error, as it is for the server: the parser would silently keep only the last one.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const open: Set<string>[] = [];
  for (const { 0: found, 1: raw = '', 2: colon, index } of text.matchAll(token)) {
    if (found === '{') open.push(new Set());
    else if (found === '}') open.pop();
    else if (colon !== undefined) {
      const key = raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
      const keys = open.at(-1);
      if (keys?.has(key)) throw new Error(texts.json.twice(key, lineOf(text, index)));
      keys?.add(key);
    }
  }
  return value;
}

/** The line number; undefined if the text has only one line. */
const lineOf = (text: string, index: number) =>
  text.includes('\n') ? text.slice(0, index).split('\n').length : undefined;

/** Why a text is not valid JSON; undefined if it is. */
export function jsonFault(text: string): string | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
