/** Rows in columns as wide as they need to be. */
export function table(head: readonly string[] | undefined, rows: readonly (readonly string[])[]): string {
  const all = head ? [head, ...rows] : rows;
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
