import type { Json } from './json.ts';

/** A value in a spreadsheet. `date` is an instant in the format of records: 2026-01-02T03:04:05.678Z. */
export type Cell =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'date'; readonly text: string };

export interface CellRules {
  /** The width of the column in characters. */
  readonly width: number;
  /** Never sees null. */
  cell(value: Json): Cell;
  /** The inverse: the value of a text, or undefined. Never gets an empty text; the field's rules are checked later. */
  read(text: string): Json | undefined;
  /** What `read` accepts, for the error message. */
  readonly expects: string;
}

export function textCells(width: number): CellRules {
  return {
    width,
    cell: (value) => ({ kind: 'text', text: value as string }),
    read: (text) => text,
    expects: 'a text',
  };
}

/** Several values in one cell, which is a text then. */
export function joinedCells({ width, cell, read, expects }: CellRules): CellRules {
  return {
    width: Math.max(width, 30),
    cell: (values) => ({
      kind: 'text',
      text: (values as readonly Json[]).map((value) => cellText(cell(value))).join(', '),
    }),
    read(text) {
      const values = readArray(text) ?? text.split(', ').map((part) => read(part));
      return values.includes(undefined) ? undefined : (values as Json[]);
    },
    expects: `${expects}, or several with ', ' between them, or a JSON array`,
  };
}

/** `["a, b", "c"]`: for values that contain the separator. */
function readArray(text: string): (Json | undefined)[] | undefined {
  if (!text.startsWith('[') || !text.endsWith(']')) return undefined;
  try {
    return JSON.parse(text) as Json[];
  } catch {
    return undefined;
  }
}

export function cellText(cell: Cell): string {
  switch (cell.kind) {
    case 'text':
    case 'date':
      return cell.text;
    case 'number':
    case 'boolean':
      return String(cell.value);
  }
}
