import type { ColumnValue } from '../../model/field.ts';

/** A piece of SQL with its values apart from its text. */
export interface Sql {
  readonly text: string;
  readonly values: readonly ColumnValue[];
}

type Part = Sql | ColumnValue;

interface Spelled {
  /** The texts of the pieces, undefined where there is a value. */
  readonly pieces: readonly (string | undefined)[];
  readonly text: string;
}

/**
 * What each template came to last. Mostly it is the same again, and a text that is the very same string is found
 * among the prepared statements without being hashed anew.
 */
const spelled = new WeakMap<TemplateStringsArray, Spelled>();

/** sql`SELECT ${column} FROM ${table} WHERE id = ${id}`: pieces are spliced in, anything else is a value. */
export function sql(strings: TemplateStringsArray, ...parts: readonly Part[]): Sql {
  const values: ColumnValue[] = [];
  const last = spelled.get(strings);
  let same = last !== undefined;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Part;
    const isPiece = typeof part === 'object' && part !== null;
    if (isPiece) for (const value of part.values) values.push(value);
    else values.push(part);
    same &&= last?.pieces[index] === (isPiece ? part.text : undefined);
  }
  return { text: last && same ? last.text : spell(strings, parts), values };
}

function spell(strings: TemplateStringsArray, parts: readonly Part[]): string {
  const pieces = parts.map((part) => (typeof part === 'object' && part !== null ? part.text : undefined));
  const text = strings
    .map((string, index) => string + (index < pieces.length ? (pieces[index] ?? '?') : ''))
    .join('');
  spelled.set(strings, { pieces, text });
  return text;
}

/** Text that is SQL already. Only for names made in names.ts and for constants. */
export function raw(text: string): Sql {
  return { text, values: [] };
}

export function join(parts: readonly Sql[], separator: string): Sql {
  return {
    text: parts.map((part) => part.text).join(separator),
    values: parts.flatMap((part) => part.values),
  };
}
