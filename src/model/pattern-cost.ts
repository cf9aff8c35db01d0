import type { RE2JS } from 're2js';

/** Most work spent on finding out: some ten milliseconds. */
const mostExplored = 30_000;
/** Flags of re2js for the start of a text and the start of a line: the start of a text is both. */
const startFlags = 4 | 1;
const endOfText = -1;
const unanchored = 0;

interface State {
  readonly nfaStates: readonly number[];
  readonly isMatch: boolean;
}

/**
 * Whether a pattern has so few DFA states that, once all are known, each character of a text costs one table lookup: some 50 ns.
 * That is so for nearly all patterns that people write. `[ab]*a[ab]{40}` has 2^40 states, and then each character costs time
 * proportional to the size of the program.
 */
export function isSimple(compiled: RE2JS): boolean {
  const re2 = compiled.re2();
  if (re2.onepass !== null) return true;
  const { dfa } = re2;
  if (dfa.failed) return false;
  const start: State | null = dfa.makeState([dfa.prog.start], startFlags, []);
  if (start === null) return false;
  // One character of each class that the pattern distinguishes.
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
