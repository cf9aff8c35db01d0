import type { Collection } from '../../model/collection.ts';
import type { Rows } from './row.ts';
import type { Tally } from './tally.ts';

export interface ImportRules {
  readonly dryRun: boolean;
  readonly keepGood: boolean;
  /** Aborted where somebody wants it to end. */
  readonly signal: AbortSignal;
}

/** Where rows go: a collection of a data directory, of a PostgreSQL or of a server. */
export interface Sink {
  readonly collection: Collection;
  /** Whether `take` reads the rows twice, to find every bad one before the first is written. */
  readonly again: boolean;
  /** Each call of `rows` begins anew. Reports every row that is refused to the tally. */
  take(rows: () => Rows, rules: ImportRules, tally: Tally): Promise<void>;
}
