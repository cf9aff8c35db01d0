import { RE2JS } from 're2js';
import type { Report } from './field.ts';
import { isSimple } from './pattern-cost.ts';

/**
 * Patterns come from those who define collections and are matched against whatever callers send. So they run on RE2, whose time
 * is linear in the text for any pattern. What RE2 does not support for that reason (look-around, back-references) is refused when
 * the schema is saved, and the size of a pattern is limited because the time is also proportional to it.
 */
const longestPattern = 500;
const largestProgram = 2_000;
/**
 * Size of the program times length of the text, for patterns that are not simple: at most a tenth of a second with the worst
 * patterns and texts.
 */
const mostWork = 1_000_000;
/** How many times longer the texts of a list may be in total, as they are matched one after the other. */
const moreInLists = 2;
/** Compiled patterns that are cached. */
const mostKept = 500;

export function readPattern(pattern: string, report: Report): string | undefined {
  if (pattern.length > longestPattern) {
    report(`must be at most ${longestPattern} characters long`);
    return undefined;
  }
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    if (compiled.programSize() > largestProgram) {
      report('repeats too much to be checked quickly: write smaller repetitions, or use maxLength');
      return undefined;
    }
    return pattern;
  } catch (error) {
    report(whyRefused(pattern, error));
    return undefined;
  }
}

/** Look-around and back-references, whatever else is wrong with the pattern. */
const notLinear = /\(\?(?:[=!]|<[=!])|\\[1-9]|\\k</;

/** RE2 says what it can't read: "missing closing ): `(a`". */
function whyRefused(pattern: string, error: unknown): string {
  if (notLinear.test(pattern))
    return 'must be a regular expression that runs in linear time: no look-ahead, look-behind or back-reference';
  const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : '';
  return `must be a regular expression that RE2 can read${reason && `: ${reason}`}`;
}

export interface Pattern {
  /** Like RegExp.test: the pattern may match anywhere unless it is anchored with ^ and $. */
  test(text: string): boolean;
  /** Most characters of a text to match: a longer one would block other requests. */
  readonly longest: number;
  /** The same for all texts of a list together. */
  readonly longestList: number;
}

const kept = new Map<string, Pattern>();

export function compilePattern(source: string): Pattern {
  const known = kept.get(source);
  if (known) return known;
  const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
  const longest = isSimple(compiled)
    ? Number.POSITIVE_INFINITY
    : Math.floor(mostWork / compiled.programSize());
  const pattern = {
    test: (text: string) => compiled.test(text),
    longest,
    longestList: moreInLists * longest,
  };
  if (kept.size >= mostKept) kept.clear();
  kept.set(source, pattern);
  return pattern;
}
