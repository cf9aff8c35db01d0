/** A TypeScript string literal: the escapes are those of JSON, only the quotes differ. */
export function stringLiteral(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
