import type { RE2JS } from 're2js';

/** What is spent on finding out: some ten milliseconds. */
const mostExplored = 30_000;
/** The start of a text is that of a line too. */
const startFlags = 4 | 1;
const endOfText = -1;
const unanchored = 0;

interface State {
  readonly nfaStates: readonly number[];
  readonly isMatch: boolean;
}

/**
 * Whether a pattern has so few states that, once all are known, a character of any text costs a look into a table: some 50 ns. That is
 * so for nearly all that people write. `[ab]*a[ab]{40}` has 2^40 of them, and each character then costs as much as the program is large.
 */
export function isSimple(compiled: RE2JS): boolean {
  const re2 = compiled.re2();
  if (re2.onepass !== null) return true;
  const { dfa } = re2;
  if (dfa.failed) return false;
  const start: State | null = dfa.makeState([dfa.prog.start], startFlags, []);
  if (start === null) return false;
  // One character of each class that the pattern tells apart.
  const characters = [0, ...dfa.classBounds, endOfText];
  const known = new Set([start]);
  let explored = 0;
  for (const state of known) {
    if (state.isMatch) continue; // the search ends there
    for (const [index, character] of characters.entries()) {
      const next: State | null = dfa.step(state, index, character, unanchored);
      if (next === null) return false;
      explored += 1 + state.nfaStates.length + next.nfaStates.length;
      if (explored > mostExplored) return false;
      known.add(next);
    }
  }
  return true;
}
