import type { Json } from './json.ts';

/** One value as a spreadsheet has it. `date` is an instant as records show it: 2026-01-02T03:04:05.678Z. */
export type Cell =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'date'; readonly text: string };

export interface CellRules {
  /** How many characters the column shows. */
  readonly width: number;
  /** Never sees null. */
  cell(value: Json): Cell;
}

export function textCells(width: number): CellRules {
  return { width, cell: (value) => ({ kind: 'text', text: value as string }) };
}

/** Several values share one cell, which can only be a text. */
export function joinedCells({ width, cell }: CellRules): CellRules {
  return {
    width: Math.max(width, 30),
    cell: (values) => ({
      kind: 'text',
      text: (values as readonly Json[]).map((value) => cellText(cell(value))).join(', '),
    }),
  };
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
