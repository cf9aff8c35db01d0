/**
 * Translates a `pattern` of a definition for JSON Schema: an ECMAScript regular expression with the flag u that matches the same
 * texts. undefined if it contains something that can't be translated, such as (?i) or [[:alpha:]].
 */
export function ecmaPattern(pattern: string): string | undefined {
  try {
    const written = new Translator(pattern).run();
    new RegExp(written, 'u');
    return written;
  } catch {
    return undefined;
  }
}

/** Thrown and caught only in this file. */
class Unknown extends Error {}

const syntax = /[$()*+./?[\\\]^{|}]/;
const asciiSpace = String.raw`\t\n\f\r `;

class Translator {
  readonly #text: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#text = [...pattern];
  }

  run(): string {
    let written = '';
    while (this.#at < this.#text.length) written += this.#next();
    return written;
  }

  #next(): string {
    const character = this.#take();
    switch (character) {
      case '.':
        return String.raw`[^\n]`;
      case '\\':
        return this.#escape() ?? this.#set();
      case '[':
        return this.#class();
      case '(':
        return this.#group();
      case '{':
        return this.#repetition();
      case ']':
      case '}':
        return `\\${character}`;
      default:
        return character;
    }
  }

  #group(): string {
    const kind = this.#match(/^\?(?::|P?<[A-Za-z_]\w*>)/);
    if (kind === undefined && this.#text[this.#at] === '?') throw new Unknown();
    return kind === undefined ? '(' : '(?:';
  }

  #repetition(): string {
    const counts = this.#match(/^\d+(?:,\d*)?\}/);
    return counts === undefined ? String.raw`\{` : `{${counts}`;
  }

  /** An escape for a single character; undefined, with nothing consumed, if it stands for a set. */
  #escape(): string | undefined {
    const code = this.#match(/^(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})/);
    if (code !== undefined) return `\\${code}`;
    const long = this.#match(/^[xu]\{[0-9A-Fa-f]{1,6}\}/);
    if (long !== undefined) return `\\u${long.slice(1)}`;
    const known = this.#match(/^(?:[tnrfv]|c[A-Za-z])/);
    if (known !== undefined) return `\\${known}`;
    const sign = this.#match(/^[\x20-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/);
    if (sign !== undefined) return syntax.test(sign) ? `\\${sign}` : sign;
    return undefined;
  }

  #set(): string {
    const set = this.#match(/^(?:[dDwWsSbBAz]|[pP][LMNPSZC]|[pP]\{\^?\w+\})/);
    switch (set) {
      case undefined:
        throw new Unknown();
      case 's':
        return `[${asciiSpace}]`;
      case 'S':
        return `[^${asciiSpace}]`;
      case 'b':
      case 'B':
        return `(?:\\${set})`; // RE2 allows to repeat it, ECMAScript only as a group
      case 'A':
        return '(?:^)';
      case 'z':
        return '(?:$)';
      default:
        return /^[pP].$/.test(set) ? `\\${set[0]}{${set[1]}}` : `\\${set}`;
    }
  }

  #class(): string {
    let written = this.#match(/^\^/) === undefined ? '[' : '[^';
    if (this.#text[this.#at] === ']') throw new Unknown();
    while (this.#match(/^\]/) === undefined) {
      const first = this.#member();
      written += first;
      if (!this.#isRange()) continue;
      this.#take();
      written += `-${this.#member()}`;
    }
    return `${written}]`;
  }

  #isRange(): boolean {
    return this.#text[this.#at] === '-' && this.#text[this.#at + 1] !== ']';
  }

  #member(): string {
    const character = this.#take();
    if (character === '[' && this.#text[this.#at] === ':') throw new Unknown();
    if (character !== '\\') return inClass(character);
    const escaped = this.#escape();
    if (escaped !== undefined) return inClass(escaped);
    const set = this.#match(/^[dDwWs]/);
    if (set === undefined || this.#isRange()) throw new Unknown();
    return set === 's' ? asciiSpace : `\\${set}`;
  }

  #take(): string {
    const character = this.#text[this.#at++];
    if (character === undefined) throw new Unknown();
    return character;
  }

  #match(form: RegExp): string | undefined {
    const found = form.exec(this.#text.slice(this.#at, this.#at + 80).join(''))?.[0];
    this.#at += found?.length ?? 0; // counts code units, but all that is matched here is in the basic plane
    return found;
  }
}

function inClass(character: string): string {
  const special = character.length === 1 && (syntax.test(character) || character === '-');
  return special ? `\\${character}` : character;
}
