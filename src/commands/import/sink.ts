import type { Collection } from '../../model/collection.ts';
import type { Rows } from './row.ts';
import type { Tally } from './tally.ts';

export interface ImportRules {
  readonly dryRun: boolean;
  readonly keepGood: boolean;
  /** Aborted when the import is to stop. */
  readonly signal: AbortSignal;
}

/** Where rows go: a collection in a data directory, in PostgreSQL or on a server. */
export interface Sink {
  readonly collection: Collection;
  /** Whether `take` reads the rows twice, to find every bad one before the first is written. */
  readonly again: boolean;
  /** Each call of `rows` starts from the beginning. Reports every rejected row to the tally. */
  take(rows: () => Rows, rules: ImportRules, tally: Tally): Promise<void>;
}
