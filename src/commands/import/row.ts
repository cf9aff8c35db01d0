import type { JsonObject } from '../../model/json.ts';

/** A row of a file: the body of a Create, or why it can't be read. `line` is where it begins. */
export type Row =
  | { readonly line: number; readonly body: JsonObject }
  | { readonly line: number; readonly fault: string };

/** Rows come in chunks, as they are read: one promise per row would be too slow. */
export type Rows = AsyncIterable<readonly Row[]>;

/** Fields of an export that are not imported, as a new record gets its own. */
export const serviceFields: readonly string[] = ['_id', '_createdAt', '_updatedAt'];

/** Most characters of a row: after an unclosed quote, or in an array on one line, it would be the rest of the file. */
export const mostCharacters = 16 * 1024 * 1024;
