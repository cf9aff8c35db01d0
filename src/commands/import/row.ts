import type { JsonObject } from '../../model/json.ts';

/** A row of a file: what Create would be sent, or why it can't be read. `line` is where it begins. */
export type Row =
  | { readonly line: number; readonly body: JsonObject }
  | { readonly line: number; readonly fault: string };

/** Rows come in parts, as many as were read at once: one by one they would cost more than they are worth. */
export type Rows = AsyncIterable<readonly Row[]>;

/** Of an export; a record that is created gets new ones. */
export const serviceFields: readonly string[] = ['_id', '_createdAt', '_updatedAt'];

/** Characters of a row. A quote that is never closed, or an array in one line, would take in the rest of the file. */
export const mostCharacters = 16 * 1024 * 1024;
