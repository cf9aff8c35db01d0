import { RE2JS } from 're2js';
import type { Report } from './field.ts';
import { isSimple } from './pattern-cost.ts';

/**
 * Patterns come from whoever defines a collection and run on whatever callers send, so they run on RE2:
 * its time is linear in the text whatever the pattern. What RE2 leaves out for that (look-around,
 * back-references) is refused when the schema is saved, and the size is bounded because the
 * linear time has the pattern's size as its factor.
 */
const longestPattern = 500;
const largestProgram = 2_000;
/**
 * Size of the program times length of the text, where the pattern is not a simple one: at most a tenth of a second, with the worst
 * patterns and texts.
 */
const mostWork = 1_000_000;
/** The texts of a list are matched one after the other, and may be so much longer together. */
const moreInLists = 2;
/** Patterns that are kept compiled. */
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
  } catch {
    report(
      'must be a regular expression that runs in linear time: no look-ahead, look-behind or back-reference',
    );
    return undefined;
  }
}

export interface Pattern {
  /** Like RegExp.test: the pattern may match anywhere unless it is anchored with ^ and $. */
  test(text: string): boolean;
  /** Characters of a text that it is matched against: with a longer one others would wait. */
  readonly longest: number;
  /** The same of all texts of a list together. */
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
