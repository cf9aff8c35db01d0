/**
 * Would a spreadsheet that reads this text out of a CSV file run it? Some trim what stands before the
 * sign, and in East Asian locales the full-width signs count too.
 */
export function looksLikeFormula(text: string): boolean {
  return formula.test(text);
}

const formula = /^\s*[=+\-@\t\r＝＋－＠]/;
