import type { Collection } from '../../model/collection.ts';
import type { Rows } from './row.ts';
import type { Tally } from './tally.ts';

export interface ImportRules {
  readonly dryRun: boolean;
  readonly keepGood: boolean;
}

/** Where rows go: a collection of a data directory or of a server. */
export interface Sink {
  readonly collection: Collection;
  /** Tells the tally of every row that is refused. */
  take(rows: Rows, rules: ImportRules, tally: Tally): Promise<void>;
}
