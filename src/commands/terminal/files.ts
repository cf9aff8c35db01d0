import { readFile } from 'node:fs/promises';
import { CommandFailure } from '../command.ts';

/** Files that a person named on the command line: what goes wrong with one is one line that names it. */

export async function readTextFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw unusableFile(path, error);
  }
}

export function unusableFile(path: string, error: unknown): CommandFailure {
  return new CommandFailure(`${path}: ${reasons.get(codeOf(error)) ?? messageOf(error)}`);
}

const reasons: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['ENOTDIR', 'a part of the path is not a folder'],
  ['EISDIR', 'is a folder, not a file'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'is on a disk that can only be read'],
  ['ENOSPC', 'the disk is full'],
]);

/** Parses JSON; a mistake in it is one line with its place. */
export function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFailure(`${path}: not valid JSON, line ${faultyLine(text)}`);
  }
}

/** The line up to which the text can be the beginning of JSON. Runtimes word their errors differently, and some without a place. */
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

/** Is there anything that could follow this text and make it JSON? Decided by closing what is open, with each thing that may stand there. */
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
  if (inString) return false; // a string never goes on in the next line
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

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
