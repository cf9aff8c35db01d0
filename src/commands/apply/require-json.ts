import { CommandFailure } from '../command.ts';

/** Throws if a file is not JSON, with the line of the error. */
export function requireJson(path: string, text: string): void {
  if (!isJson(text)) throw new CommandFailure(`${path}: not valid JSON, line ${faultyLine(text)}`);
}

/** The first line after which the text can't be the beginning of JSON. Not every runtime's error says where it is. */
function faultyLine(text: string): number {
  const lines = text.split('\n');
  let [good, bad] = [0, lines.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isBeginning(lines.slice(0, middle).join('\n'))) good = middle;
    else bad = middle;
  }
  return bad;
}

const opening = new Map([
  ['{', '}'],
  ['[', ']'],
]);

/** Whether the text can be the beginning of JSON: tried with each kind of token that may come next, and all brackets closed. */
function isBeginning(text: string): boolean {
  let closing = '';
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const sign = text[index] ?? '';
    if (inString && sign === '\\') index += 1;
    else if (sign === '"') inString = !inString;
    else if (!inString && opening.has(sign)) closing = `${opening.get(sign)}${closing}`;
    else if (!inString && sign === closing[0]) closing = closing.slice(1);
  }
  if (inString) return false; // a string can't continue on the next line
  return ['', '0', ':0', '"":0'].some((next) => isJson(`${text}${next}${closing}`));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
