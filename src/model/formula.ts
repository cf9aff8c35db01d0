/**
 * Whether a spreadsheet that reads this text from a CSV file would run it. Some trim white space before the sign, and in East
 * Asian locales the full-width signs count too.
 */
export function looksLikeFormula(text: string): boolean {
  return formula.test(text);
}

const formula = /^\s*[=+\-@\t\r＝＋－＠]/;

/**
 * In a spreadsheet that splits at `;`, our quotes are part of a cell: what follows a `;`, or begins a line, starts a new cell.
 * `-` and `+` at the beginning of a line are left alone for Markdown lists.
 */
const inside = (quote: string) =>
  new RegExp(
    `(?<=;)${quote}(?=[^\\S\\r\\n]*[=+\\-@＝＋－＠])|(?<=\\n|\\r(?!\\n))${quote}(?=[^\\S\\r\\n]*[=@＝＠])`,
    'g',
  );
const [toDefuse, toRestore] = [inside(''), inside("'")];

/** A text for a CSV file that no spreadsheet runs: everything that looks like a formula is prefixed with `'`. */
export function defuse(text: string): string {
  const defused = text.replace(toDefuse, "'");
  return looksLikeFormula(text) ? `'${defused}` : defused;
}

/** Undoes `defuse`, unless the text itself had such a `'`. */
export function restoreDefused(text: string): string {
  const restored = text.replace(toRestore, '');
  return restored.startsWith("'") && looksLikeFormula(restored.slice(1)) ? restored.slice(1) : restored;
}
