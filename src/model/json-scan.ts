import { Failure } from '../failure.ts';

/**
 * Different names of keys in a text: more than any collection has fields. Of a million the parser makes a dictionary
 * entry each, for seconds.
 */
const mostNames = 20_000;

/** Objects and arrays in a text: more than a thousand records with a list in each of two hundred fields. */
const mostContainers = 300_000;

/** Items of one array: more than a list or a batch has. */
const mostItems = 100_000;

/** An array or object whose text is long: it is parsed a part at a time. */
export interface LargeContainer {
  readonly kind: '{' | '[';
  /** The places of its brackets. */
  readonly start: number;
  readonly end: number;
  readonly parts: readonly ContainerPart[];
}

/** Some of a container's items, with the commas between them; or one that is large itself. */
export interface ContainerPart {
  readonly from: number;
  readonly to: number;
  readonly child?: LargeContainer | undefined;
}

interface Open {
  readonly kind: '{' | '[';
  readonly start: number;
  keys: Set<string> | undefined;
  /** Where what is not in a part yet begins, and the last comma of its own. */
  cut: number;
  comma: number;
  commas: number;
  parts: ContainerPart[] | undefined;
  child: LargeContainer | undefined;
}

/**
 * Looks at the text of a JSON value before the parser does: finds nesting that is too deep, more keys, objects and arrays
 * than there can be, a key that is there twice (of which the parser would keep one without a word) and `__proto__`. Notes
 * where a long text can be divided. Text that is not JSON at all is left to the parser.
 */
export class JsonScan {
  readonly #text: string;
  readonly #deepest: number;
  readonly #what: string;
  readonly #partLength: number;
  readonly #open: Open[] = [];
  readonly #names = new Set<string>();
  #containers = 0;
  #next = 0;
  #large: LargeContainer | undefined;

  /** `what`: what messages call the text. `partLength`: characters that are parsed at a time. */
  constructor(text: string, deepest: number, what: string, partLength: number) {
    this.#text = text;
    this.#deepest = deepest;
    this.#what = what;
    this.#partLength = partLength;
  }

  /** Whether there is more to look at, after about so many characters. */
  advance(characters: number): boolean {
    const text = this.#text;
    const end = Math.min(text.length, this.#next + characters);
    let index = this.#next;
    for (; index < end; index++) {
      switch (text.charCodeAt(index)) {
        case 0x22: {
          const close = stringEnd(text, index);
          const open = this.#open.at(-1);
          if (open?.kind === '{' && isKey(text, close)) this.#noteKey(text.slice(index, close), open);
          index = close - 1;
          break;
        }
        case 0x7b:
          this.#begin('{', index);
          break;
        case 0x5b:
          this.#begin('[', index);
          break;
        case 0x2c: {
          const open = this.#open.at(-1);
          if (!open) break;
          if (open.child || index - open.cut >= this.#partLength) addPart(open, index);
          open.comma = index;
          open.commas += 1;
          if (open.commas >= mostItems) this.#refuseMany(open);
          break;
        }
        case 0x7d:
          this.#end('{', index);
          break;
        case 0x5d:
          this.#end('[', index);
          break;
      }
    }
    this.#next = index;
    if (index < text.length) return true;
    if (this.#open.length > 0) throw notJson(this.#what);
    return false;
  }

  /** The whole value, where it is large. */
  get large(): LargeContainer | undefined {
    return this.#large;
  }

  #begin(kind: Open['kind'], start: number): void {
    this.#containers += 1;
    if (this.#containers > mostContainers) {
      throw new Failure('invalid', `${this.#what} has more than ${mostContainers} objects and arrays`);
    }
    const none = { keys: undefined, parts: undefined, child: undefined };
    this.#open.push({ kind, start, cut: start + 1, comma: start, commas: 0, ...none });
    if (this.#open.length > this.#deepest) {
      throw new Failure('invalid', `${this.#what} is nested deeper than ${this.#deepest} levels`);
    }
  }

  #end(kind: Open['kind'], end: number): void {
    const closed = this.#open.pop();
    if (closed?.kind !== kind) throw notJson(this.#what);
    if (!closed.parts && !closed.child) return;
    addPart(closed, end);
    const large = { kind, start: closed.start, end, parts: closed.parts ?? [] };
    const parent = this.#open.at(-1);
    if (!parent) {
      this.#large = large;
      return;
    }
    if (parent.comma >= parent.cut) addPart(parent, parent.comma);
    parent.child = large;
  }

  #refuseMany({ kind }: Open): void {
    if (kind === '{') return; // its keys are counted
    throw new Failure('invalid', `${this.#what} has an array of more than ${mostItems} items`);
  }

  #noteKey(literal: string, open: Open): void {
    const key = literal.includes('\\') ? String(parse(literal, this.#what)) : literal.slice(1, -1);
    if (key === '__proto__')
      throw new Failure('invalid', `${this.#what} must not have a key named '__proto__'`);
    open.keys ??= new Set();
    if (open.keys.has(key))
      throw new Failure('invalid', `${key}: is in ${this.#what.replace('The', 'the')} twice`);
    open.keys.add(key);
    if (this.#names.add(key).size > mostNames)
      throw new Failure('invalid', `${this.#what} has more than ${mostNames} different keys`);
  }
}

/** What is not in a part yet, up to `to`. */
function addPart(open: Open, to: number): void {
  open.parts ??= [];
  open.parts.push({ from: open.cut, to, child: open.child });
  open.child = undefined;
  open.cut = to + 1;
}

export function parse<T>(text: string, what: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw notJson(what);
  }
}

export function notJson(what: string): Failure {
  return new Failure('invalid', `${what} is not valid JSON`);
}

/** The keys in a text that is JSON, each as often as it is there. */
export function countKeys(text: string): number {
  let count = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = stringEnd(text, start);
    if (isKey(text, end)) count += 1;
    start = text.indexOf('"', end);
  }
  return count;
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
