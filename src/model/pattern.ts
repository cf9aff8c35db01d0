import { RE2JS } from 're2js';
import type { Report } from './field.ts';

/**
 * Patterns come from whoever defines a collection and run on whatever callers send, so they run on RE2:
 * its time is linear in the text whatever the pattern. What RE2 leaves out for that (look-around,
 * back-references) is refused when the schema is saved, and the size is bounded because the
 * linear time has the pattern's size as its factor.
 */
const longestPattern = 500;
const largestProgram = 2_000;

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

/** Like RegExp.test: the pattern may match anywhere unless it is anchored with ^ and $. */
export function compilePattern(pattern: string): (text: string) => boolean {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return (text) => compiled.test(text);
}
