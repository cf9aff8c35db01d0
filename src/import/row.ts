import type { JsonObject } from '../model/json.ts';
import type { Binding, Values } from '../model/payload.ts';

/** A row of a file: the body of a Create, or why it can't be read. `line` is where it begins. */
export type Row =
  | { readonly line: number; readonly body: JsonObject }
  | { readonly line: number; readonly fault: string };

/** Rows come in chunks, as they are read: one promise per row would be too slow. */
export type Rows = AsyncIterable<readonly Row[]>;

/** A row that the collection's schema allows, with all that is stored of it; or why it is refused. */
export type CheckedRow =
  | {
      readonly line: number;
      readonly id: string;
      readonly values: Values;
      readonly valuesJson: string;
      readonly searchText: string;
      readonly binding: Binding;
    }
  | { readonly line: number; readonly fault: string };

export type CheckedRows = AsyncIterable<readonly CheckedRow[]>;

/** Fields of an export that are not imported, as a new record gets its own. */
export const serviceFields: readonly string[] = ['_id', '_createdAt', '_updatedAt'];

/** Most characters of a row: after an unclosed quote, or in an array on one line, it would be the rest of the file. */
export const mostCharacters = 16 * 1024 * 1024;
