import { Failure } from '../failure.ts';
import { mostCharacters } from './row.ts';

export interface Element {
  /** The line on which it begins, counted from 1. */
  readonly line: number;
  readonly text: string;
}

const [newline, quote, comma, opening, backslash, closing] = [0x0a, 0x22, 0x2c, 0x5b, 0x5c, 0x5d];
const [openingBrace, closingBrace] = [0x7b, 0x7d];

/**
 * Splits a JSON array into elements with their lines, as its text arrives. Streaming JSON parsers do not report lines; the text
 * between the commas is left to JSON.parse.
 */
export class ArraySplitter {
  #phase: 'before' | 'inside' | 'after' = 'before';
  #depth = 0;
  #inString = false;
  #escaped = false;
  #line = 1;
  /** The current element: its text from earlier parts, and its line as soon as it has begun. */
  #begun = '';
  #beganAt: number | undefined;
  #any = false;

  take(text: string): Element[] {
    const elements: Element[] = [];
    let start = 0;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === newline) this.#line += 1;
      if (this.#inString) this.#string(code);
      else if (code <= 0x20) continue;
      else if (this.#phase !== 'inside') {
        this.#outside(code);
        start = index + 1;
      } else if (this.#depth === 0 && (code === comma || code === closing)) {
        this.#finish(elements, text.slice(start, index), code);
        start = index + 1;
      } else this.#content(code);
    }
    if (this.#phase === 'inside') this.#begun += text.slice(start);
    if (this.#begun.length > mostCharacters) {
      throw new Failure('invalid', `line ${this.#beganAt ?? this.#line}: an element is longer than 16 MiB`);
    }
    return elements;
  }

  end(): void {
    if (this.#phase === 'before')
      throw new Failure('invalid', 'there is nothing in it: it must be a JSON array');
    if (this.#phase === 'inside') {
      throw new Failure('invalid', `line ${this.#line}: the array is not closed, as if the end were missing`);
    }
  }

  #string(code: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (code === backslash) this.#escaped = true;
    else if (code === quote) this.#inString = false;
  }

  #outside(code: number): void {
    if (this.#phase === 'after')
      throw new Failure('invalid', `line ${this.#line}: there is more after the array`);
    if (code !== opening) throw new Failure('invalid', `line ${this.#line}: must be a JSON array of objects`);
    this.#phase = 'inside';
  }

  #content(code: number): void {
    this.#beganAt ??= this.#line;
    if (code === quote) this.#inString = true;
    else if (code === opening || code === openingBrace) this.#depth += 1;
    else if (code === closing || code === closingBrace) this.#depth -= 1;
  }

  #finish(elements: Element[], rest: string, code: number): void {
    const empty = this.#beganAt === undefined;
    if (empty && (code === comma || this.#any)) {
      throw new Failure('invalid', `line ${this.#line}: there is a comma with nothing beside it`);
    }
    if (!empty) elements.push({ line: this.#beganAt ?? this.#line, text: this.#begun + rest });
    this.#any = true;
    this.#begun = '';
    this.#beganAt = undefined;
    if (code === closing) this.#phase = 'after';
  }
}
