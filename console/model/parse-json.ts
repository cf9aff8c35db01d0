import { texts } from '../texts.ts';

/** In a text that is JSON: what opens and closes an object, and texts, of which those before a colon are keys. */
const token = /"((?:[^"\\]+|\\.)*)"\s*(:)?|[{}]/gs;

/**
 * As `JSON.parse`, but a key that an object has twice is a fault, as it is for the server: the parser would keep one of them
 * without a word.
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

/** What is in one line needs no number. */
const lineOf = (text: string, index: number) =>
  text.includes('\n') ? text.slice(0, index).split('\n').length : undefined;

/** What is wrong with a text that should be JSON. */
export function jsonFault(text: string): string | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
