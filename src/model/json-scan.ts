import { Failure, invalid } from '../failure.ts';
import { isEscaped, isKey } from './json-strings.ts';

/**
 * Most different keys in a text: more than any collection has fields. A million keys would keep the parser busy for seconds, as
 * it makes a dictionary entry for each.
 */
const mostNames = 20_000;

/** Most objects and arrays in a text: more than a thousand records with two hundred lists each. */
const mostContainers = 300_000;

/** Most items of an array: more than any list or batch has. */
const mostItems = 100_000;

/** Most characters of a key, including its quotes and escapes: more than any name has. */
const longestKey = 16 * 1024;

/** A value with a long text, which is parsed in parts. */
export type LargeValue = LargeContainer | LargeString;

export interface LargeContainer {
  readonly kind: '{' | '[';
  /** The indexes of its brackets. */
  readonly start: number;
  readonly end: number;
  readonly parts: readonly ContainerPart[];
}

export interface LargeString {
  readonly kind: '"';
  /** The indexes of its quotes. */
  readonly start: number;
  readonly end: number;
}

/** Some items of a container with the commas between them, or one item that is large itself. */
export interface ContainerPart {
  readonly from: number;
  readonly to: number;
  readonly child?: LargeValue | undefined;
}

interface Open {
  readonly kind: '{' | '[';
  readonly start: number;
  keys: Set<string> | undefined;
  /** The start of what is not in a part yet, and the container's own last comma. */
  cut: number;
  comma: number;
  commas: number;
  parts: ContainerPart[] | undefined;
  child: LargeValue | undefined;
}

/**
 * Scans a JSON text before it is parsed: refuses nesting that is too deep, too many keys, objects and arrays, duplicate keys (of
 * which the parser would silently keep one) and `__proto__`. Finds where a long text can be split. Text that is not JSON at all
 * is left to the parser.
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
  /** The start of the string in which the last step stopped. */
  #string: number | undefined;
  #isBroken = false;
  #large: LargeContainer | undefined;

  /** `what`: the name of the text in messages. `partLength`: characters that are parsed in one step. */
  constructor(text: string, deepest: number, what: string, partLength: number) {
    this.#text = text;
    this.#deepest = deepest;
    this.#what = what;
    this.#partLength = partLength;
  }

  /** Scans about this many characters. Returns whether there are more. */
  advance(characters: number): boolean {
    const text = this.#text;
    const end = Math.min(text.length, this.#next + characters);
    let index = this.#next;
    if (this.#string !== undefined) index = this.#passString(this.#string, index - 1, end) + 1;
    for (; index < end; index++) {
      switch (text.charCodeAt(index)) {
        case 0x22:
          index = this.#passString(index, index, end);
          break;
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
    if (this.#open.length > 0 || this.#isBroken) throw notJson(this.#what);
    return false;
  }

  /** The whole value, if it is large. */
  get large(): LargeContainer | undefined {
    return this.#large;
  }

  /**
   * Looks for the end of a string, after the quote at `from`. Returns the index of the last quote it looked at: the one that
   * closes the string, or the first beyond `end`, from which to continue.
   */
  #passString(start: number, from: number, end: number): number {
    const text = this.#text;
    let quote = from;
    do quote = text.indexOf('"', quote + 1);
    while (quote >= 0 && quote < end && isEscaped(text, quote));
    const isOpen = quote >= 0 && isEscaped(text, quote);
    this.#string = isOpen ? start : undefined;
    if (isOpen) return quote;
    const close = quote < 0 ? text.length - 1 : quote;
    this.#noteString(start, close);
    return close;
  }

  #noteString(start: number, end: number): void {
    const open = this.#open.at(-1);
    if (!open) return;
    if (open.kind === '{' && isKey(this.#text, end + 1)) this.#noteKey(start, end, open);
    else if (end - start > this.#partLength) this.#noteLarge({ kind: '"', start, end }, open);
  }

  #noteLarge(large: LargeValue, parent: Open): void {
    if (parent.child) this.#isBroken = true; // there is no comma between the two
    if (parent.comma >= parent.cut) addPart(parent, parent.comma);
    parent.child = large;
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
    if (parent) this.#noteLarge(large, parent);
    else this.#large = large;
  }

  #refuseMany({ kind }: Open): void {
    if (kind === '{') return; // the number of keys is limited elsewhere
    throw new Failure('invalid', `${this.#what} has an array of more than ${mostItems} items`);
  }

  #noteKey(start: number, end: number, open: Open): void {
    if (end - start >= longestKey)
      throw new Failure('invalid', `${this.#what} has a key of more than ${longestKey} characters`);
    const literal = this.#text.slice(start, end + 1);
    const key = literal.includes('\\') ? String(parse(literal, this.#what)) : literal.slice(1, -1);
    if (key === '__proto__')
      throw new Failure('invalid', `${this.#what} must not have a key named '__proto__'`);
    open.keys ??= new Set();
    if (open.keys.has(key))
      throw invalid([{ at: key, message: `is in ${this.#what.replace('The', 'the')} twice` }]);
    open.keys.add(key);
    if (this.#names.add(key).size > mostNames)
      throw new Failure('invalid', `${this.#what} has more than ${mostNames} different keys`);
  }
}

/** Adds a part with everything up to `to` that is not in a part yet. */
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
