/**
 * Would a spreadsheet that reads this text out of a CSV file run it? Some trim what stands before the
 * sign, and in East Asian locales the full-width signs count too.
 */
export function looksLikeFormula(text: string): boolean {
  return formula.test(text);
}

const formula = /^\s*[=+\-@\t\r＝＋－＠]/;

/**
 * Where a spreadsheet splits at `;`, our quotes are part of a cell: what stands behind one, or on a new line, begins a
 * cell of its own. `-` and `+` on a new line are left to Markdown's lists.
 */
const inside = (quote: string) =>
  new RegExp(
    `(?<=;)${quote}(?=[^\\S\\r\\n]*[=+\\-@＝＋－＠])|(?<=\\n|\\r(?!\\n))${quote}(?=[^\\S\\r\\n]*[=@＝＠])`,
    'g',
  );
const [toDefuse, toRestore] = [inside(''), inside("'")];

/** A text for a CSV file that no spreadsheet runs: a `'` stands before all that looks like a formula. */
export function defuse(text: string): string {
  const defused = text.replace(toDefuse, "'");
  return looksLikeFormula(text) ? `'${defused}` : defused;
}

/** The text that was defused, unless it had such a `'` itself. */
export function restoreDefused(text: string): string {
  const restored = text.replace(toRestore, '');
  return restored.startsWith("'") && looksLikeFormula(restored.slice(1)) ? restored.slice(1) : restored;
}
