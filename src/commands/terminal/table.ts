/** Characters that move the cursor, break the line or change the direction: with them, a user's name could forge other rows. */
const unprintable = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** Formats rows in aligned columns. */
export function table(head: readonly string[] | undefined, rows: readonly (readonly string[])[]): string {
  const all = [...(head ? [head] : []), ...rows].map((row) =>
    row.map((cell) => cell.replace(unprintable, '\ufffd')),
  );
  const widths: number[] = [];
  for (const row of all) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  const line = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return all.map((row) => `${line(row).trimEnd()}\n`).join('');
}
