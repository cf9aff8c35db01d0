import type { ColumnValue } from '../../model/field.ts';

/** A piece of SQL with its values apart from its text. */
export interface Sql {
  readonly text: string;
  readonly values: readonly ColumnValue[];
}

type Part = Sql | ColumnValue;

/** sql`SELECT ${column} FROM ${table} WHERE id = ${id}`: pieces are spliced in, anything else is a value. */
export function sql(strings: TemplateStringsArray, ...parts: readonly Part[]): Sql {
  let text = strings[0] ?? '';
  const values: ColumnValue[] = [];
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Part;
    if (typeof part === 'object' && part !== null) {
      text += part.text;
      for (const value of part.values) values.push(value);
    } else {
      text += '?';
      values.push(part);
    }
    text += strings[index + 1] ?? '';
  }
  return { text, values };
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
