import type { CheckedRows, Rows } from '../../import/row.ts';
import type { Collection } from '../../model/collection.ts';
import type { Tally } from './tally.ts';

export interface ImportRules {
  readonly dryRun: boolean;
  readonly keepGood: boolean;
  /** Aborted when the import is to stop. */
  readonly signal: AbortSignal;
}

/** What is read. Each call starts from the beginning. */
export interface Input {
  rows(): Rows;
  /** Read, and checked by a definition, in a thread of their own. */
  checkedRows(collection: Collection): CheckedRows;
}

/** Where rows go: a collection in a data directory, in PostgreSQL or on a server. */
export interface Sink {
  readonly collection: Collection;
  /** Whether `take` reads the rows twice, to find every bad one before the first is written. */
  readonly again: boolean;
  /** Reports every rejected row to the tally. */
  take(input: Input, rules: ImportRules, tally: Tally): Promise<void>;
}
